import { defineConfig, type Plugin } from "vite";

/**
 * The content security policy: the page's own files only, no inline script, no eval, no markup from text. The page may connect
 * to any HTTPS endpoint, because some wallets, such as Trust, ask their own from inside the page, and to nodes on the player's
 * machine. The policy is in the document, because many static hosts do not allow own headers.
 */
function policy(dev: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // In development, Vite's client uses inline styles, a socket and a worker.
    dev ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' https: http://localhost:* http://127.0.0.1:*${dev ? " ws:" : ""}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(dev ? ["worker-src 'self' blob:"] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
  ].join("; ");
}

/**
 * Writes the policy into the document. And where the page will be, PAGE_URL, into the address of its picture: some chats show only
 * a picture with a whole address.
 */
const head = (): Plugin => ({
  name: "head",
  transformIndexHtml: (html, { server }) => ({
    html: html.replace("./preview.png", `${process.env["PAGE_URL"] ?? "./"}preview.png`),
    tags: [
      {
        tag: "meta",
        attrs: { "http-equiv": "Content-Security-Policy", content: policy(server !== undefined) },
        injectTo: "head-prepend",
      },
    ],
  }),
});

export default defineConfig({
  // The page works in any folder of any host.
  base: "./",
  plugins: [head()],
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  // Files that the tests write do not reload the page.
  server: { watch: { ignored: ["**/results/**", "**/dist/**", "**/tests/**"] } },
});
