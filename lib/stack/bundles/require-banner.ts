/**
 * Stands before each bundle. Some CommonJS packages call `require`, which an ES module does not have. The minifier does not see
 * the banner: a short name here would be declared twice.
 */
export const REQUIRE_BANNER =
  "import{createRequire as kerfCreateRequire}from'node:module';const require=kerfCreateRequire(import.meta.url);";
