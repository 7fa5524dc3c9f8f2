import { kubectlPlugin, Pod } from 'keelson';

/** `kubectl restarts [POD...]`: the containers that were restarted, those with the most restarts first. */
export const restarts = kubectlPlugin('restarts', {
  summary: 'Shows the containers that were restarted, those with the most restarts first',
  args: '[POD...]',
  allNamespaces: true,
  flags: { 'at-least': { value: 'N', default: '1', help: 'Containers with fewer restarts are left out' } },
  async run({ client, namespace, args, flags, print, table, signal }) {
    const { items } = await client.kindIn(Pod, namespace).list({ signal });
    const rows = items
      .filter(({ metadata: { name } }) => args.length === 0 || args.includes(name))
      .flatMap(({ metadata, status }) => (status?.containerStatuses ?? []).map((each) => ({ ...each, of: metadata })))
      .filter(({ restartCount }) => restartCount >= Number(flags['at-least']))
      .sort((left, right) => right.restartCount - left.restartCount);
    if (rows.length === 0) return print(`No container was restarted in ${namespace ?? 'any namespace'}.`);
    table(
      ['NAMESPACE', 'POD', 'CONTAINER', 'RESTARTS', 'LAST REASON'],
      rows.map(({ of, name, restartCount, lastState }) => [
        of.namespace,
        of.name,
        name,
        restartCount,
        lastState?.terminated?.reason,
      ]),
    );
  },
  async complete({ client, namespace }) {
    const { items } = await client.kindIn(Pod, namespace).list({ limit: 500 });
    return items.map(({ metadata }) => metadata.name);
  },
});
