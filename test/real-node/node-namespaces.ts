import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Daemon, runProgram } from '../../peers/index.ts';
import { createControlGroups } from './control-groups.ts';
import { FORWARDING, NODE_BRIDGE, OWN_CONTROL_GROUPS, ROOM, SWITCH_FILE } from './enter-script.ts';
import { eventually } from './eventually.ts';
import { NODE_ADDRESS, type NodeLayout } from './node-layout.ts';

const OPEN_LIMIT_MS = 30_000;

/** Moves itself into control groups and new namespaces, and keeps them. Arguments: FOLDER, NAME, CONTROL_GROUP... */
const HOLD_SCRIPT = `set -eu
folder=$1 name=$2; shift 2
for group in "$@"; do echo $$ > "$group/cgroup.procs"; done
exec unshare --net --mount --ipc --uts --cgroup --propagation private bash "$folder/inside.sh" "$folder" "$name"
`;

/**
 * Makes a node of its own out of a copy of the first node's mounts: control groups, /run, the folders of the agent, the runtime and the
 * network plugins. The folder of the run stays where it is. Arguments: FOLDER, NAME.
 */
const INSIDE_SCRIPT = `set -eu
folder=$1 name=$2
mount --bind ${ROOM} /mnt
mount -t tmpfs -o mode=755 tmpfs /run
mkdir ${ROOM} /run/lock
mount --bind /mnt ${ROOM}
umount /mnt
mount --make-rshared /
${OWN_CONTROL_GROUPS}
mkdir -p "$folder"/{kubelet,log} /var/lib/cni
mount --bind "$folder/kubelet" /var/lib/kubelet
mount --bind "$folder/log" /var/log
mount -t tmpfs tmpfs /var/lib/cni
mount -t tmpfs tmpfs /etc/cni/net.d
cp ${ROOM}/resolv.conf "$folder/resolv.conf"
hostname "$name"
ip link set lo up
${FORWARDING}
touch "$folder/open"
exec sleep infinity
`;

/** Namespaces of a further node, for as long as the process lives that holds them. */
export interface NodeNamespaces extends AsyncDisposable {
  readonly holder: Daemon;
}

/**
 * Opens network, mount, IPC, host name and control group namespaces for a further node of the run, and joins it to the bridge of all nodes;
 * each has a route to the pods of the other. `layout.enter` runs commands there from then on.
 *
 * Processes are in the run's one process namespace: signals reach all of them, and they end with the run.
 */
export async function openNodeNamespaces(layout: NodeLayout, others: readonly NodeLayout[]): Promise<NodeNamespaces> {
  const { folder, name } = layout;
  await mkdir(folder, { recursive: true });
  const groups = await createControlGroups(name);
  await writeFile(join(folder, 'hold.sh'), HOLD_SCRIPT);
  await writeFile(join(folder, 'inside.sh'), INSIDE_SCRIPT);
  const args = [join(folder, 'hold.sh'), folder, name, ...groups];
  const holder = new Daemon('bash', args, { logPath: join(folder, 'namespaces.log') });
  try {
    await eventually(
      async () => {
        if (!existsSync(join(folder, 'open'))) throw new Error(`the namespaces of ${name} are not open`);
      },
      { what: `namespaces of ${name}`, limitMs: OPEN_LIMIT_MS, daemons: [holder] },
    );
    await writeFile(join(folder, 'enter.sh'), enterScript(holder.pid, groups));
    await joinBridge(layout, { pid: holder.pid, others });
    return { holder, [Symbol.asyncDispose]: () => holder.stop() };
  } catch (error) {
    await holder.stop();
    throw error;
  }
}

/** Runs a command as the node's. The command has the process id of the script. */
function enterScript(pid: number, groups: readonly string[]): string {
  const moves = groups.map((group) => `echo $$ > "${group}/cgroup.procs"`);
  const enter = `exec nsenter --target ${pid} --net --mount --ipc --uts --cgroup --wd="$PWD" -- "$@"`;
  return ['set -eu', ...moves, enter, ''].join('\n');
}

async function joinBridge(
  { name, address, podRange, enter }: NodeLayout,
  { pid, others }: { readonly pid: number; readonly others: readonly NodeLayout[] },
): Promise<void> {
  const bridge = ['nsenter', '--target', (await readFile(SWITCH_FILE, 'utf8')).trim(), '--net'];
  const atBridge = (...args: readonly string[]): Promise<string> => runProgram([...bridge, 'ip', ...args]);
  const inside = (...args: readonly string[]): Promise<string> => runProgram([...enter, 'ip', ...args]);
  await atBridge('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
  await atBridge('link', 'set', name, 'master', NODE_BRIDGE, 'up');
  await inside('address', 'add', `${address}/24`, 'dev', 'eth0');
  await inside('link', 'set', 'eth0', 'up');
  await inside('route', 'add', 'default', 'via', gatewayOf(NODE_ADDRESS), 'dev', 'eth0');
  for (const other of others) {
    await inside('route', 'add', other.podRange, 'via', other.address);
    await runProgram([...other.enter, 'ip', 'route', 'add', podRange, 'via', address]);
  }
}

function gatewayOf(address: string): string {
  return address.replace(/\d+$/, '1');
}
