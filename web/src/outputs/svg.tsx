/** SVG as a picture: in an <img> its scripts do not run, and it loads nothing. */

import { useEffect, useMemo, useState } from "react";
import { PictureAt } from "./picture.tsx";

export function Svg({ source, metadata }: { source: string; metadata?: unknown }) {
  const whole = useMemo(() => completeSvg(source), [source]);
  const [address, setAddress] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([whole], { type: "image/svg+xml" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [whole]);
  return address
    ? <PictureAt key={address} address={address} bytes={whole.length} type="image/svg+xml" metadata={metadata} />
    : null;
}

/** SVG as it may stand in a page lacks its name space, without which it is no picture. */
function completeSvg(source: string): string {
  return /<svg\b[^>]*\sxmlns\s*=/i.test(source)
    ? source
    : source.replace(/<svg\b/i, '<svg xmlns="http://www.w3.org/2000/svg"');
}
