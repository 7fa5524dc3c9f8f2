import { CniError, cniPlugin, type CniRequest } from 'keelson/cni';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A chained plugin that writes down which pod has which addresses, for other programs of the machine. */
export const metadata = cniPlugin({
  name: 'keelson-metadata',
  config: { type: 'object', properties: { folder: { type: 'string', default: '/run/keelson-metadata' } } },

  async add(request) {
    const { args, config, network, netns, prevResult } = request;
    await mkdir(config.folder, { recursive: true });
    const text = JSON.stringify({
      pod: { namespace: args['K8S_POD_NAMESPACE'], name: args['K8S_POD_NAME'], uid: args['K8S_POD_UID'] },
      network,
      netns,
      addresses: (prevResult?.ips ?? []).map(({ address }) => address.replace(/\/\d+$/, '')),
    });
    const path = fileOf(request);
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path); // readers see all of it or nothing
  },

  async check(request) {
    const text = await readFile(fileOf(request), 'utf8').catch(() => undefined);
    if (text === undefined) throw new CniError(101, `${fileOf(request)} is missing`);
  },

  del: (request) => rm(fileOf(request), { force: true }),

  async gc({ config, validAttachments = [] }) {
    const valid = new Set(validAttachments.map(({ containerID, ifname }) => `${containerID}-${ifname}.json`));
    const names = await readdir(config.folder).catch(() => []); // nothing was written yet
    for (const name of names) if (!valid.has(name)) await rm(join(config.folder, name), { force: true });
  },
});

function fileOf({ config, containerId, ifName }: CniRequest<{ folder: string }>): string {
  return join(config.folder, `${containerId}-${ifName}.json`);
}
