/** What of `node:http` is used. */
const NAMES = ['Agent', 'createServer', 'request', 'ServerResponse', 'STATUS_CODES'];

/**
 * Takes `node:http` as programs in CommonJS do. An import asks for everything that it exports, and for the sake of one of those Node.js 22 and later load
 * all of undici: 30 ms of every start.
 */
export const nodeHttp = {
  name: 'node-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, () => ({ path: 'node:http', namespace: 'node-http', sideEffects: false }));
    onLoad({ filter: /.*/, namespace: 'node-http' }, () => ({
      contents: [
        "import { createRequire } from 'node:module';",
        "const http = /* @__PURE__ */ createRequire('/')('node:http');", // a module of Node.js is the same from everywhere
        ...NAMES.map((name) => `export const ${name} = /* @__PURE__ */ (() => http.${name})();`),
      ].join('\n'),
    }));
  },
};
