/** The package's version; the build keeps it in step with package.json (`tests/package.test.ts`). */
export const VERSION = "0.1.0";
