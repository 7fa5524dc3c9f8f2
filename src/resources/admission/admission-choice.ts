import { pluginOrder } from './plugin-order.ts';

/** The values of `--enable-admission-plugins` and `--disable-admission-plugins`. */
export interface AdmissionChoice {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

/** All problems of a choice, in kube-apiserver's words. */
export function admissionProblems({ enable, disable }: AdmissionChoice): readonly string[] {
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).toSorted();
  return [
    ...unknownIn(enable, 'enable-admission-plugins'),
    ...unknownIn(disable, 'disable-admission-plugins'),
    ...(both.length === 0
      ? []
      : [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
  ];
}

function unknownIn(names: readonly string[], flag: string): string[] {
  const known = new Set(pluginOrder.map(({ name }) => name));
  return names.filter((name) => !known.has(name)).map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`);
}

/** The names of the running plugins, in order: the default ones, changed by the choice. */
export function runningPlugins({ enable, disable }: AdmissionChoice): readonly string[] {
  return pluginOrder
    .filter(({ name, isOnByDefault }) => (isOnByDefault || enable.includes(name)) && !disable.includes(name))
    .map(({ name }) => name);
}
