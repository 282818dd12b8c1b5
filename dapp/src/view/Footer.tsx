import { text } from "../text.ts";
import "./Footer.css";

export const Footer = () => (
  <footer class="foot hint">
    <p>{text.footer}</p>
  </footer>
);
