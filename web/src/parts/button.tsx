/** Buttons: one that matters, plain ones, those that are only an icon, those that destroy. */

import type { ButtonHTMLAttributes } from "react";

interface Look {
  look?: "plain" | "main" | "danger" | "quiet";
  /** A button that is only a picture says here what it does. */
  label?: string;
}

export function Button(
  { look = "plain", label, className = "", ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & Look,
) {
  return <button type="button" aria-label={label} title={label} {...rest} className={`button ${look} ${className}`} />;
}
