import { pluginOrder } from './plugin-order.ts';

/** What `--enable-admission-plugins` and `--disable-admission-plugins` say. */
export interface AdmissionChoice {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

/** Everything that is wrong with a choice, in kube-apiserver's words. */
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

/** The names of the plugins that run, in their order: those that are on by default, with what is chosen besides. */
export function runningPlugins({ enable, disable }: AdmissionChoice): readonly string[] {
  return pluginOrder
    .filter(({ name, isOnByDefault }) => (isOnByDefault || enable.includes(name)) && !disable.includes(name))
    .map(({ name }) => name);
}
