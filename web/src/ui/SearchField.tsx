// The field with which a list is searched. Its label is its placeholder, too.
import { Field, type FieldProps } from "./Field";
import { SearchIcon } from "./icons";

export interface SearchFieldProps extends Pick<FieldProps, "label" | "className" | "autoCapitalize"> {
  value: string;
  onChange: (typed: string) => void;
}

export function SearchField({ label, onChange, ...rest }: SearchFieldProps) {
  return (
    <Field
      label={label}
      labelHidden
      placeholder={label}
      icon={<SearchIcon />}
      type="search"
      enterKeyHint="search"
      onChange={(event) => onChange(event.target.value)}
      {...rest}
    />
  );
}
