/** The live connection to one session: each event once and in order, also after the connection was lost. */

import { io } from "socket.io-client";
import { textAt, type WireEvent } from "../events/wire.ts";
import { askForToken, lookForServer } from "./reach.ts";

export type Connection = "connecting" | "connected" | "away" | "refused" | "gone";

/** A piece of what an action prints while it runs. */
export interface Output {
  action: number;
  stream: "stdout" | "stderr";
  text: string;
}

export interface Listener {
  /** The last event that the page has, or -1. */
  latest(): number;
  event(event: WireEvent): void;
  output(piece: Output): void;
  /** `why` is what the server says when it refuses. */
  connection(state: Connection, why?: string): void;
}

/** Follows a session until the function that it returns is called. */
export function followSession(sid: string, listener: Listener): () => void {
  const socket = io({
    path: "/socket.io",
    transports: ["websocket"],
    query: { conversation_id: sid, latest_event_id: listener.latest() },
    auth: { client: "cloche" },
    reconnectionDelay: 250,
    reconnectionDelayMax: 4000,
    forceNew: true,
  });
  listener.connection("connecting");
  socket.io.on("reconnect_attempt", () => {
    socket.io.opts.query = { conversation_id: sid, latest_event_id: String(listener.latest()) };
  });
  socket.on("connect", () => listener.connection("connected"));
  socket.on("disconnect", (reason) => {
    listener.connection("away");
    void lookForServer();
    // The server ends the connection of a client that reads too slowly, and when it stops: come back.
    if (reason === "io server disconnect") setTimeout(() => !left && reconnect(), 500);
  });
  socket.on("connect_error", (error: Error & { data?: unknown }) => {
    // `active` says that the client itself tries again: the server was not reached.
    if (socket.active) {
      listener.connection("away");
      void lookForServer();
      return;
    }
    const code = textAt(error.data, "code");
    if (code === "no_token") askForToken();
    listener.connection(code === "session_unknown" ? "gone" : "refused", error.message);
    // A server that is being stopped or has no room says so: it may have by then.
    if (code === "stopping" || code === "connections") setTimeout(() => !left && reconnect(), 2000);
  });
  socket.on("oh_event", (event: WireEvent) => listener.event(event));
  socket.on("cloche_output", (piece) => listener.output(piece));
  let left = false;
  const reconnect = () => {
    socket.io.opts.query = { conversation_id: sid, latest_event_id: String(listener.latest()) };
    socket.connect();
  };
  return () => {
    left = true;
    socket.disconnect();
  };
}
