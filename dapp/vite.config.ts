import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { icons } from "./scripts/icons.ts";

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
    "font-src 'self'",
    `connect-src 'self' https: http://localhost:* http://127.0.0.1:*${dev ? " ws:" : ""}`,
    dev ? "worker-src 'self' blob:" : "worker-src 'self'",
    "manifest-src 'self'",
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
      {
        tag: "meta",
        attrs: { "http-equiv": "Content-Security-Policy", content: policy(dev) },
        injectTo: "head-prepend",
      },
    ],
  };
}

/** Writes sw.js with the hash of every file. A first visit needs the ones that the page loads; practice is kept when it is used. */
function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    // When everything is written: the document is complete only then.
    writeBundle({ dir = "dist" }, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const first = new Set([
        "index.html",
        "icon.svg",
        ...Object.keys(bundle).filter((name) => /\.(css|woff2)$/.test(name)),
      ]);
      const add = (name: string): void => {
        if (first.has(name)) return;
        first.add(name);
        for (const imported of byName.get(name)?.imports ?? []) add(imported);
      };
      for (const chunk of chunks) if (chunk.isEntry) add(chunk.fileName);
      const files = [...new Set([...first, ...Object.keys(bundle)])].toSorted().map((name) => {
        const hash = createHash("sha256")
          .update(readFileSync(join(dir, name)))
          .digest("base64");
        return [name === "index.html" ? "" : name, { hash, first: first.has(name) }] as const;
      });
      const list = '{ "files of the build": { hash: "", first: true } }';
      writeFileSync(
        join(dir, "sw.js"),
        readFileSync("src/offline.js", "utf8").replace(list, JSON.stringify(Object.fromEntries(files))),
      );
    },
  };
}

export default defineConfig({
  // The page works in any folder of any host.
  base: "./",
  plugins: [contentSecurityPolicy(), icons(), offline()],
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  // Files that the tests write do not reload the page.
  server: { watch: { ignored: ["**/results/**", "**/dist/**", "**/tests/**"] } },
});
