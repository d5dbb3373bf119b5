/** The page begins here: its styles, its addresses. */

import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { Route, Switch } from "wouter";
import { Frame } from "./frame/frame.tsx";
import { applyTheme } from "./frame/theme.ts";
import { SessionsPage } from "./pages/sessions/sessions_page.tsx";
import { Empty, Loading } from "./parts/notice.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/frame.css";

const SessionPage = lazy(() => import("./pages/session/session_page.tsx"));
const PlayPage = lazy(() => import("./pages/play/play_page.tsx"));
const SettingsPage = lazy(() => import("./pages/settings/settings_page.tsx"));

function App() {
  return (
    <Frame>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/" component={SessionsPage} />
          <Route path="/s/:sid">{({ sid }) => <SessionPage key={sid} sid={sid} />}</Route>
          <Route path="/play" component={PlayPage} />
          <Route path="/settings/:section?">{({ section }) => <SettingsPage section={section} />}</Route>
          <Route>
            <Empty title="There is nothing here">The address leads to no page.</Empty>
          </Route>
        </Switch>
      </Suspense>
    </Frame>
  );
}

applyTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
