import { addressPool, type AddressPool, type CniRequest, cniPlugin, CniError } from 'keelson/cni';
import { createHash } from 'node:crypto';

interface BridgeConfig {
  readonly bridge: string;
  readonly subnet: string;
  readonly stateDir: string;
}

/** A plugin that connects containers to a bridge, with addresses of its own. */
export const bridge = cniPlugin({
  name: 'keelson-bridge',
  config: {
    type: 'object',
    properties: {
      bridge: { type: 'string', default: 'keelson0', maxLength: 15 },
      subnet: { type: 'string' },
      stateDir: { type: 'string', default: '/var/lib/cni/keelson-bridge' },
    },
    required: ['subnet'],
  },

  async add(request) {
    const { config, ifName, netns, onHost, inContainer } = request;
    const link = await onHost('nsenter', `--net=${netns}`, 'ip', '-o', 'link');
    if (new RegExp(`: ${ifName}[@:]`).test(link)) throw new CniError(101, `interface "${ifName}" exists already`);
    const pool = poolOf(request);
    const [address] = await pool.allocate(request, { wanted: request.runtimeConfig.ips ?? [] });
    if (address === undefined) throw new CniError('TryAgainLater', 'there is no address');
    const hostSide = hostSideOf(request);
    try {
      const length = address.address.replace(/^.*\//, '');
      await makeBridge(request, `${address.gateway}/${length}`);
      await onHost('ip', 'link', 'add', hostSide, 'type', 'veth', 'peer', 'name', ifName, 'netns', netns);
      await onHost('ip', 'link', 'set', hostSide, 'master', config.bridge, 'up');
      await inContainer('ip', 'link', 'set', ifName, 'up');
      await inContainer('ip', 'address', 'add', address.address, 'dev', ifName);
      await inContainer('ip', 'route', 'add', 'default', 'via', address.gateway ?? '', 'dev', ifName);
    } catch (error) {
      await removeLink(request);
      await pool.release(request);
      throw error;
    }
    return {
      interfaces: [{ name: config.bridge }, { name: hostSide }, { name: ifName, sandbox: netns }],
      ips: [{ ...address, interface: 2 }],
      routes: [{ dst: '0.0.0.0/0', gw: address.gateway ?? '' }],
    };
  },

  async check({ prevResult, ifName, inContainer }) {
    const present = await inContainer('ip', '-o', 'address', 'show', 'dev', ifName);
    for (const { address, interface: index } of prevResult?.ips ?? []) {
      if (index !== undefined && prevResult?.interfaces?.[index]?.name !== ifName) continue;
      if (!present.includes(` ${address} `)) throw new CniError(102, `address ${address} is missing on ${ifName}`);
    }
  },

  async del(request) {
    await removeLink(request);
    await poolOf(request).release(request);
  },

  gc: (request) => poolOf(request).collect(request.validAttachments ?? []),
  status: (request) => poolOf(request).requireFree(),
});

function poolOf({ config, network }: CniRequest<BridgeConfig>): AddressPool {
  return addressPool({ folder: `${config.stateDir}/${network}`, ranges: [[{ subnet: config.subnet }]] });
}

/** The machine's side of a container's interface: always the same for the same one, so that DEL finds it. */
function hostSideOf({ network, containerId, ifName }: CniRequest): string {
  return `kb${createHash('sha256').update(`${network}/${containerId}/${ifName}`).digest('hex').slice(0, 12)}`;
}

/** Makes the bridge, unless it is there: another container may have made it a moment ago. */
async function makeBridge({ config, onHost }: CniRequest<BridgeConfig>, gateway: string): Promise<void> {
  const isThere = (error: unknown): void => {
    if (!String(error).includes('File exists') && !String(error).includes('already assigned')) throw error;
  };
  await onHost('ip', 'link', 'add', config.bridge, 'type', 'bridge').catch(isThere);
  await onHost('ip', 'address', 'add', gateway, 'dev', config.bridge).catch(isThere);
  await onHost('ip', 'link', 'set', config.bridge, 'up');
}

/** Both sides go when one does. */
async function removeLink(request: CniRequest): Promise<void> {
  await request.onHost('ip', 'link', 'delete', hostSideOf(request)).catch((error: unknown) => {
    if (!String(error).includes('Cannot find device')) throw error; // gone with the namespace
  });
}
