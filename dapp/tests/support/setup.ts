import { existsSync } from "node:fs";
import { join } from "node:path";
import { DIST } from "./server.ts";

export default function setup(): void {
  if (!existsSync(join(DIST, "index.html"))) throw new Error("no dist/: run `npm run build` first, or `npm test`");
}
