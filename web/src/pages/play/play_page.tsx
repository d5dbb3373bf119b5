/** Play. */

import { useEffect } from "react";
import { keepOffline } from "../../play/service.ts";
import { Play } from "../../play/play.tsx";

export default function PlayPage() {
  useEffect(() => {
    document.title = "Play · Cloche";
    void keepOffline();
  }, []);
  return <Play withServer />;
}
