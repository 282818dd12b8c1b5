// The pictures that phones and chats show, made from SVG at every build: icons for the home screen and the preview of a
// link.
import { readFileSync } from "node:fs";
import { Resvg } from "@resvg/resvg-js";
import type { HtmlTagDescriptor, Plugin } from "vite";

/** What a chat shows for a link. It runs no script, so there is one language, as in index.html. */
const preview = {
  title: "Tic-tac-toe for two",
  text: "Open the link to play or to watch. One contract on Ethereum keeps the board.",
  picture: "A board with three crosses and two circles, and a third circle about to be drawn.",
};
const picture = (svg: string, width: number): Uint8Array =>
  new Resvg(svg, { fitTo: { mode: "width", value: width } }).render().asPng();

/** The icon without round corners and with a margin: phones cut a shape of their own out of it. */
const bleeding = (icon: string): string =>
  icon
    .replace('viewBox="0 0 32 32"', 'viewBox="-5 -5 42 42"')
    .replace(/<rect [^>]*rx="7"/, '<rect x="-5" y="-5"')
    .replace('width="32" height="32"', 'width="42" height="42"');

/** Chats ask for a whole address of the picture. PAGE_URL is where the page will be; without it, some chats show no picture. */
function tags(page: string): HtmlTagDescriptor[] {
  const meta = (attrs: Record<string, string>): HtmlTagDescriptor => ({ tag: "meta", attrs, injectTo: "head" });
  const link = (rel: string, href: string): HtmlTagDescriptor => ({
    tag: "link",
    attrs: { rel, href },
    injectTo: "head",
  });
  return [
    link("apple-touch-icon", "./icon-touch.png"),
    meta({ property: "og:type", content: "website" }),
    meta({ property: "og:title", content: preview.title }),
    meta({ property: "og:description", content: preview.text }),
    meta({ property: "og:image", content: `${page}preview.png` }),
    meta({ property: "og:image:width", content: "1200" }),
    meta({ property: "og:image:height", content: "630" }),
    meta({ property: "og:image:alt", content: preview.picture }),
    meta({ name: "twitter:card", content: "summary_large_image" }),
  ];
}

export function icons(): Plugin {
  return {
    name: "icons",
    apply: "build",
    transformIndexHtml: () => tags(process.env["PAGE_URL"] ?? "./"),
    generateBundle() {
      const icon = readFileSync("public/icon.svg", "utf8");
      const emit = (fileName: string, source: string | Uint8Array): void =>
        void this.emitFile({ type: "asset", fileName, source });
      emit("icon-touch.png", picture(bleeding(icon), 180));
      emit("preview.png", picture(readFileSync("scripts/preview.svg", "utf8"), 1200));
    },
  };
}
