import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A variable of the module that is made by a call, up to the semicolon that the next line at the margin follows. */
const MADE = /^(var [\w$]+ = )((?:new )?[\w$.]+\([^\n]*(?:\n(?![\w$/]).*)*?);$/gm;
/** Texts and objects that are put together of others. */
const COMPOSED = /^(var [\w$]+ = )((?:String\.raw)?`[^`]*`|\{\n(?:[\t }].*\n)*?\})(?=;$)/gm;

/**
 * Gives clients no more of js-yaml than its parser: half of it writes YAML or makes values of it, which our own code does.
 * esbuild finds out what is used, once the module's variables are marked as free of side effects.
 */
export const yamlParser = {
  name: 'yaml-parser',
  setup(build) {
    const path = join(createRequire(import.meta.url).resolve('js-yaml'), '..', 'js-yaml.mjs');
    build.onResolve({ filter: /^js-yaml$/ }, ({ importer }) =>
      /[\\/]src[\\/]api[\\/]yaml[\\/]/.test(importer)
        ? { path, namespace: 'yaml-parser', sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'yaml-parser' }, async () => {
      const text = await readFile(path, 'utf8');
      const marked = text.replaceAll(MADE, '$1/* @__PURE__ */ (() => $2)();');
      return { contents: marked.replaceAll(COMPOSED, '$1/* @__PURE__ */ (() => ($2))()'), loader: 'js' };
    });
  },
};
