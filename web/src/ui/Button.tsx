// A button for a gloved finger: at least 56 px high, 72 px for the main action.
import type { ButtonHTMLAttributes, ReactNode } from "react";

import { buttonClasses, type ButtonLook } from "./buttonLook";

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className">, ButtonLook {
  icon?: ReactNode;
}

export function Button({ tone, size, wide, icon, className, children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={buttonClasses({ tone, size, wide, className })} {...rest}>
      {icon}
      {children}
    </button>
  );
}
