import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/**
 * The content security policy: the page's own files only, no inline script, no eval, no markup from text. The page may connect
 * to any HTTPS endpoint, because the player chooses the chain, and to nodes on the player's machine. The policy is in the
 * document, because many static hosts do not allow own headers.
 */
function policy(dev: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // In development, Vite's client uses inline styles and a worker.
    dev ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' https: http://localhost:* http://127.0.0.1:*${dev ? " ws:" : ""}`,
    dev ? "worker-src 'self' blob:" : "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...(dev ? [] : ["require-trusted-types-for 'script'", "trusted-types page"]),
  ].join("; ");
}

function contentSecurityPolicy(): Plugin {
  let dev = false;
  return {
    name: "content-security-policy",
    configResolved: (config) => void (dev = config.command === "serve"),
    transformIndexHtml: () => [
      { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: policy(dev) }, injectTo: "head-prepend" },
    ],
  };
}

/** Writes sw.js with the files that a first visit needs. Those for practice are cached when a player practises. */
function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const first = new Set<string>();
      const add = (name: string): void => {
        if (first.has(name)) return;
        first.add(name);
        for (const imported of byName.get(name)?.imports ?? []) add(imported);
      };
      for (const chunk of chunks) if (chunk.isEntry || chunk.facadeModuleId?.includes("/text/")) add(chunk.fileName);
      const styles = Object.keys(bundle).filter((name) => name.endsWith(".css"));
      const files = ["", "icon.svg", ...first, ...styles].map((name) => `./${name}`);
      const source = readFileSync("src/offline.js", "utf8").replace('["files of the build"]', JSON.stringify(files));
      this.emitFile({ type: "asset", fileName: "sw.js", source });
    },
  };
}

export default defineConfig({
  // The page works in any folder of any host.
  base: "./",
  plugins: [contentSecurityPolicy(), offline()],
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  // Files that the tests write do not reload the page.
  server: { watch: { ignored: ["**/results/**", "**/dist/**", "**/tests/**"] } },
});
