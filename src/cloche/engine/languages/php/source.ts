/** A cell's text as a file of PHP, with every line where it was. */

const TAG = /^\s*<\?(?:php(?=\s|$)|=)/i;

export function sourceOf(code: string): string {
  const text = code.replace(/^\uFEFF?#![^\n]*/, "");
  const tag = TAG.exec(text)?.[0];
  // Text that contains tags, like a page.
  if (tag === undefined && /^\s*<(?!<)[\s\S]*<\?(php\s|=)/.test(text)) return text;
  if (tag === undefined) return `<?php ${text}`;
  // The line breaks before the tag would be printed.
  const breaks = tag.replace(/[^\n]/g, "");
  return tag.endsWith("=") ? `<?php ${breaks}?>${text.trimStart()}` : `<?php ${breaks}${text.slice(tag.length)}`;
}
