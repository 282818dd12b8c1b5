import { chooseLanguage, language, languages, text } from "../text/index.ts";
import "./Footer.css";

export function Footer() {
  return (
    <footer class="foot row apart hint">
      <p>{text.footer}</p>
      <select
        aria-label={text.header.language}
        value={language()}
        onChange={({ currentTarget }) => void chooseLanguage(currentTarget.value)}
      >
        {languages.map(({ code, name }) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </footer>
  );
}
