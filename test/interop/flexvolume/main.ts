// `npm run interop:flexvolume [-- --agent kubelet|keelson]`: Kubernetes' kubelet, or ours, mounts FlexVolumes of drivers that note each
// call, for pods on `keelson cri`, in namespaces of their own. The calls have to be the known ones, byte for byte.
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Daemon, findPeer, startKeelson } from '../../../peers/index.ts';
import { type Client, connect, mergePatch } from '../../../src/client/index.ts';
import { RecordingDriver } from '../../../src/flexvolume/testing/recording-driver.ts';
import { eventually } from '../../real-node/eventually.ts';
import { nodeAgents, runInNamespaces, whyNoNamespaces } from '../../real-node/index.ts';
import { room } from '../../real-node/namespaces.ts';
import { NodeCredentials } from '../../real-node/node-credentials.ts';
import { NODE_ADDRESS, nodeLayout } from '../../real-node/node-layout.ts';
import { knownCalls } from './known-calls.ts';

const { values } = parseArgs({
  options: { agent: { type: 'string', default: 'keelson' }, logs: { type: 'string' } },
});
const LIMIT_MS = 10 * 60_000;
const WAIT_MS = 120_000;
const RUNTIME_SOCKET = '/run/keelson/cri.sock';
const DRIVERS = '/var/lib/kubelet/volume-plugins';
const WITHOUT_CGROUPS = { cgroupsPerQOS: false, enforceNodeAllocatable: [], volumePluginDir: DRIVERS };
/** Mounts file systems in memory; leaves devices, attaching and growing to be answered. */
const ATTACHED = `init) echo '{"status": "Success"}' ;;
attach) echo '{"status": "Success", "device": "/dev/given"}' ;;
isattached) echo '{"status": "Success", "attached": true}' ;;
waitforattach) echo '{"status": "Success", "device": "/dev/made"}' ;;
mountdevice|mount) mount -t tmpfs tmpfs "$2" && echo '{"status": "Success"}' ;;
unmountdevice|unmount) umount "$2" && echo '{"status": "Success"}' ;;
detach|expandfs) echo '{"status": "Success"}' ;;`;
const PLAIN = `init) echo '{"status": "Success", "capabilities": {"attach": false}}' ;;
mount) mount -t tmpfs tmpfs "$2" && echo '{"status": "Success"}' ;;
unmount) umount "$2" && echo '{"status": "Success"}' ;;`;

process.exitCode = await main();

async function main(): Promise<number> {
  const reason = (values.agent === 'kubelet' ? findPeer('kubelet').reason : undefined) ?? whyNoNamespaces();
  if (reason !== undefined) {
    console.error(`interop:flexvolume does not run: ${reason}`);
    return 1;
  }
  const logs = values.logs === undefined ? {} : { logs: resolve(values.logs) };
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.log, ...logs });
  if (code !== undefined) return code;
  const calls = await runPods();
  const isKnown = isDeepStrictEqual(calls, knownCalls);
  if (!isKnown) console.log(JSON.stringify(calls, undefined, 2));
  console.log(`${values.agent}: ${isKnown ? `${calls.length} calls as known` : 'the calls are not the known ones'}`);
  return isKnown ? 0 : 1;
}

async function runPods(): Promise<readonly (readonly string[])[]> {
  const bundle = resolve('dist', 'keelson.js');
  const layout = { ...nodeLayout(room()), runtimeSocket: RUNTIME_SOCKET };
  await mkdir(layout.folder, { recursive: true });
  await mkdir('/run/keelson', { recursive: true });
  const plain = new RecordingDriver(DRIVERS, 'example.com/plain', layout.folder);
  const disk = new RecordingDriver(DRIVERS, 'example.com/disk', layout.folder);
  await plain.install(PLAIN);
  await disk.install(ATTACHED);
  const server = await startKeelson({
    folder: join(room(), 'server'),
    bundle,
    flags: [
      ...['--nodes=0', '--bind-address=0.0.0.0', `--advertise-address=${NODE_ADDRESS}`],
      ...['--kubelet-preferred-address-types=InternalIP', '--cluster-cidr=10.128.0.0/9', '--node-cidr-mask-size=16'],
      `--flex-volume-plugin-dir=${DRIVERS}`,
    ],
  });
  const log = (name: string): { readonly logPath: string } => ({ logPath: join(layout.folder, `${name}.log`) });
  const runtimeArgs = [bundle, 'cri', `--listen=unix://${RUNTIME_SOCKET}`, '--log-level=info'];
  await using runtime = new Daemon(process.execPath, runtimeArgs, log('runtime'));
  await eventually(() => access(RUNTIME_SOCKET), { what: 'a runtime', limitMs: WAIT_MS, daemons: [runtime] });
  const credentials = await NodeCredentials.read(server);
  const agent = values.agent === 'kubelet' ? nodeAgents.kubelet : nodeAgents.keelson;
  const { program, args } = await agent.prepare(layout, { server, bundle, credentials });
  const path = join(layout.folder, 'kubelet.json');
  const config = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...config, ...WITHOUT_CGROUPS }, null, 2));
  await writeFile(join(layout.folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  await using kubelet = new Daemon(program, args, log('kubelet'));
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
  const waiting = { limitMs: WAIT_MS, daemons: [runtime, kubelet] };
  await eventually(() => nodeIsReady(client, layout.name), { what: 'a ready node', ...waiting });
  const uid = await usePods(client, layout.name, waiting);
  await eventually(
    async () => {
      if ((await disk.calls('detach')).length === 0) throw new Error('the volume is not detached');
    },
    { what: 'a detached volume', ...waiting },
  );
  await server.stop();
  // `init` and `getvolumename` are called as often as an agent likes
  const calls = [...(await plain.calls()), ...(await disk.calls())].filter(
    ([command = '']) => !['init', 'getvolumename', 'isattached'].includes(command),
  );
  return calls.map((words) => words.map((word) => word.replaceAll(uid, 'UID').replaceAll(layout.name, 'NODE')));
}

/** A pod with a volume of each driver, one of them of a claim that grows. Returns the pod's uid when it is gone. */
async function usePods(
  { core, storage }: Client,
  nodeName: string,
  waiting: { readonly limitMs: number; readonly daemons: readonly Daemon[] },
): Promise<string> {
  const pods = core.v1.pods.namespace('default');
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const type = 'example.com/plain';
  await core.v1.secrets.namespace('default').create({ metadata: { name: 'keys' }, type, stringData: { word: 'hush' } });
  await storage.v1.storageclasses.create({
    metadata: { name: 'flex' },
    provisioner: 'none',
    allowVolumeExpansion: true,
  });
  const spec = { storageClassName: 'flex', accessModes: ['ReadWriteOnce' as const] };
  const flexVolume = { driver: 'example.com/disk', fsType: 'xfs', options: { pool: 'a&b' } };
  await core.v1.persistentvolumes.create({
    metadata: { name: 'pv-1' },
    spec: { ...spec, capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Retain', flexVolume },
  });
  const requests = { storage: '1Gi' };
  await claims.create({ metadata: { name: 'data' }, spec: { ...spec, volumeName: 'pv-1', resources: { requests } } });
  const options = { note: 'x' };
  const volumeMounts = ['inline', 'disk'].map((name) => ({ name, mountPath: `/${name}` })); // unused volumes are not mounted
  const created = await pods.create({
    metadata: { name: 'web' },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { fsGroup: 2000 },
      volumes: [
        { name: 'inline', flexVolume: { driver: type, options, readOnly: true, secretRef: { name: 'keys' } } },
        { name: 'disk', persistentVolumeClaim: { claimName: 'data' } },
      ],
      containers: [{ name: 'web', image: 'busybox:1.37', command: ['sleep', '100000'], volumeMounts }],
    },
  });
  await eventually(
    async () => {
      const { status } = await pods.get('web');
      if (status?.phase !== 'Running') throw new Error(`the pod is ${status?.phase ?? ''}`);
    },
    { what: 'a running pod', ...waiting },
  );
  await claims.patch('data', mergePatch({ spec: { resources: { requests: { storage: '2Gi' } } } }));
  await eventually(
    async () => {
      const { status } = await claims.get('data');
      if (status?.capacity?.['storage'] !== '2Gi') throw new Error(`the claim is ${JSON.stringify(status)}`);
    },
    { what: 'a claim that has grown', ...waiting },
  );
  await pods.delete('web');
  await eventually(
    async () => {
      if ((await pods.list()).items.length > 0) throw new Error('the pod is there');
    },
    { what: 'no pod', ...waiting },
  );
  return created.metadata.uid;
}

async function nodeIsReady({ core }: Client, name: string): Promise<void> {
  const { status } = await core.v1.nodes.get(name);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') throw new Error(`the node is not ready: ${ready?.message ?? 'it has no status'}`);
}
