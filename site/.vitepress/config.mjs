import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Folders whose documents are no pages. */
const elsewhere = ["benchmarks", "proof", "http-api", "site"];

/** The pages of a folder, by their names. */
function pages(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => ({ text: name.slice(0, -3).replaceAll("-", " "), link: `/${folder}/${name.slice(0, -3)}` }));
}

/**
 * The README is the first page; VitePress rewrites its path, not the links to it.
 * A link to a file or a folder of the repository that is no page keeps its text only: the site has
 * pages alone, and does not know where its repository is.
 */
function onlyPages(markdown) {
  markdown.core.ruler.push("only-pages", (state) => {
    const from = dirname(join(root, state.env.relativePath));
    for (const token of state.tokens.flatMap((block) => block.children ?? [])) {
      if (token.type !== "link_open") continue;
      const target = token.attrGet("href");
      if (/^([a-z]+:|#)/.test(target)) continue;
      const file = resolve(from, decodeURIComponent(target.split("#")[0]));
      if (relative(root, file) === "README.md") {
        token.attrSet("href", target.replace(/^[^#]*/, "/"));
      } else if (existsSync(file) && !isPage(file)) {
        token.tag = "span";
        token.attrs = [["title", relative(root, file)]];
        closing(state.tokens, token).tag = "span";
      }
    }
  });
}

function isPage(file) {
  return file.endsWith(".md") && !elsewhere.includes(relative(root, file).split("/")[0]);
}

function closing(blocks, open) {
  const inline = blocks.find((block) => block.children?.includes(open)).children;
  return inline.find((token, i) => i > inline.indexOf(open) && token.type === "link_close");
}

export default defineConfig({
  title: "Holdfast",
  description: "Durable objects for the JVM",
  srcDir: root,
  srcExclude: ["**/target/**", "**/node_modules/**", "COORDINATOR.md", ...elsewhere.map((folder) => `${folder}/**`)],
  rewrites: { "README.md": "index.md" },
  outDir: join(root, "target/site"),
  cacheDir: join(root, "target/site-cache"),
  lastUpdated: false,
  // The pages are outside of this folder, where their imports would not be found.
  vite: {
    resolve: {
      alias: [{ find: /^vue(\/server-renderer)?$/, replacement: join(root, "site/node_modules/vue$1") }],
    },
  },
  // Angle brackets and braces in the documents are text, not elements and expressions of Vue.
  markdown: {
    html: false,
    config: onlyPages,
    attrs: { disable: true },
    // As in the repository's own view of the documents, for which their links are written.
    anchor: { slugify: (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-") },
  },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Tutorial", link: "/docs/guide/tutorial" },
      { text: "Concepts", link: "/docs/guide/concepts" },
      { text: "Operations", link: "/docs/operations/capacity" },
    ],
    sidebar: [
      {
        text: "Guide",
        items: [
          { text: "What it is", link: "/" },
          { text: "A shop in 15 minutes", link: "/docs/guide/tutorial" },
          { text: "Concepts", link: "/docs/guide/concepts" },
          { text: "Designing objects", link: "/docs/guide/design" },
          { text: "SQL or keys", link: "/docs/guide/storage" },
          { text: "SQL in objects", link: "/docs/guide/sql" },
          { text: "Alarms and schedules", link: "/docs/guide/alarms" },
          { text: "Errors and retries", link: "/docs/guide/errors" },
          { text: "Before production", link: "/docs/guide/production" },
          { text: "Limits", link: "/docs/guide/limits" },
          { text: "What it is not", link: "/docs/guide/not" },
          { text: "SQL: bounds and counters", link: "/docs/sql" },
          { text: "Events", link: "/docs/events" },
          { text: "Filters", link: "/docs/filters" },
          { text: "Values", link: "/docs/structured-clone" },
          { text: "Tests, from an empty directory", link: "/docs/guide/testing" },
          { text: "Tests", link: "/docs/testing" },
          { text: "Spring Boot, from an empty directory", link: "/docs/guide/spring" },
          { text: "Spring Boot", link: "/docs/spring" },
          { text: "Kotlin, from an empty directory", link: "/docs/guide/kotlin" },
          { text: "Kotlin", link: "/docs/kotlin" },
          { text: "A storage backend, from an empty directory", link: "/docs/guide/backend" },
          { text: "HTTP services", link: "/docs/guide/http" },
          { text: "HTTP services: the manual", link: "/docs/http-api" },
          { text: "Several machines", link: "/docs/cluster" },
        ],
      },
      { text: "Operations", items: pages("docs/operations") },
      {
        text: "Promises and proofs",
        collapsed: true,
        items: [
          ...["security", "conformance", "benchmarks"].map((name) => ({ text: name, link: `/docs/${name}` })),
          ...pages("docs/records/promises"),
        ],
      },
      { text: "Records", collapsed: true, items: pages("docs/records") },
      {
        text: "Inside",
        collapsed: true,
        items: [
          { text: "Architecture", link: "/ARCHITECTURE" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Changelog", link: "/CHANGELOG" },
          { text: "Dependencies", link: "/docs/dependencies" },
        ],
      },
      { text: "Formats", collapsed: true, items: pages("docs/formats") },
      { text: "Decisions", collapsed: true, items: pages("docs/adr") },
    ],
  },
});
