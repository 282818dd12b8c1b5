import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/**
 * What the page may do, enforced by the browser: its own files only, no inline script, no eval, no markup made from text.
 * It may talk to any secure endpoint, because chains are the player's choice, and to nodes on the player's own machine.
 * In the document, because a static host may not let us set headers.
 */
function policy(dev: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Vite's own client, in development only, brings its styles inline and waits for its server in a worker.
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

/** Writes sw.js with the names of the files that a first visit needs; those for practice come when somebody practises. */
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
  // What the tests write is no reason to load the page again.
  server: { watch: { ignored: ["**/results/**", "**/dist/**", "**/tests/**"] } },
});
