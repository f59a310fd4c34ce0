import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "slack-blocks-to-jsx/dist/style.css";
import "./style/base.css";
import "./style/messages.css";
import "./style/blocks.css";
import "./style/panels.css";
import { App } from "./App";

const root = document.getElementById("page");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
