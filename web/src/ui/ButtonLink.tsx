// A link to another page of the app, with the look of a button.
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

import { buttonClasses, type ButtonLook } from "./buttonLook";

type AnchorProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "className"> & ButtonLook;

function Anchor({ tone, size, wide, className, ...rest }: AnchorProps) {
  return <a className={buttonClasses({ tone, size, wide, className })} {...rest} />;
}

export const ButtonLink = createLink(Anchor);
