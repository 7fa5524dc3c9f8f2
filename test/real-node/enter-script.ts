import { NODE_ADDRESS } from './node-layout.ts';

/** The bridge of all nodes, in a network namespace of its own. */
export const NODE_BRIDGE = 'nodes';

/** Part of a script: lets packets of pods through the node, and shows those on bridges to the packet filter. */
export const FORWARDING = `echo 1 > /proc/sys/net/ipv4/ip_forward
[ ! -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables
`;

/** Where the rig's folder is inside the namespaces. */
export const ROOM = '/run/node';

/** Holds the id of the process that keeps the network namespace of the nodes' bridge. */
export const SWITCH_FILE = `${ROOM}/switch`;

/**
 * Settings that a kubelet insists on and that the kernel has once for the whole machine. Inside the namespaces their files are covered by
 * files with these values: the kubelet finds what it wants and changes nothing.
 */
export const MACHINE_SETTINGS: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** Part of a script: mounts the control groups and interfaces of the namespaces that it runs in. */
export const OWN_CONTROL_GROUPS = `# The control groups and interfaces of these namespaces.
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /sys/fs/cgroup
while IFS=: read -r _ controllers _; do
  case $controllers in
    '') continue ;;
    name=*) at=\${controllers#name=}; options=none,$controllers ;;
    *) at=$controllers; options=$controllers ;;
  esac
  mkdir "/sys/fs/cgroup/$at"
  mount -t cgroup -o "$options" cgroup "/sys/fs/cgroup/$at"
  case $at in *,*) for name in \${at//,/ }; do ln -s "$at" "/sys/fs/cgroup/$name"; done ;; esac
done < /proc/self/cgroup
`;

/** Moves itself into control groups, then into namespaces, which end with the process that called it. Arguments: FOLDER, CONTROL_GROUP..., --, COMMAND... */
export const ENTER_SCRIPT = `set -eu
folder=$1; shift
while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs"; shift; done
shift
exec setpriv --pdeathsig KILL unshare --net --mount --pid --ipc --uts --cgroup --fork --kill-child=KILL --propagation private --mount-proc \\
  bash "$folder/inside.sh" "$folder" "$@"
`;

/**
 * The first process inside: makes the machine look like a node's own, runs the command and reaps orphans. Whatever still runs when it ends
 * is killed by the kernel, and mounts and interfaces go with it. Arguments: FOLDER, COMMAND...
 */
export const INSIDE_SCRIPT = `set -eu
folder=$1; shift
readlink /proc/self/ns/pid /proc/self/ns/net /proc/self/ns/mnt /proc/self/ns/cgroup > "$folder/namespaces"
mount --make-rshared /

${OWN_CONTROL_GROUPS}
# Folders of the node's own in place of the machine's.
mkdir -p "$folder"/{var,var-work,etc,etc-work,kubelet,log,settings}
mount -t tmpfs -o mode=755 tmpfs /run
mkdir ${ROOM} /run/lock
mount --bind "$folder" ${ROOM}
mount -t overlay -o "lowerdir=/var,upperdir=$folder/var,workdir=$folder/var-work" overlay /var
mount -t overlay -o "lowerdir=/etc,upperdir=$folder/etc,workdir=$folder/etc-work" overlay /etc
mkdir -p /var/lib/kubelet /var/log /etc/cni/net.d
mount -t tmpfs tmpfs /etc/cni/net.d
mount --bind ${ROOM}/kubelet /var/lib/kubelet
mount --bind ${ROOM}/log /var/log
# CoreDNS refuses names outside the cluster at once; the machine's own servers are out of reach, and pulls from unknown registries would wait for them.
echo 'nameserver ${NODE_ADDRESS}' > ${ROOM}/resolv.conf
[ ! -e /etc/resolv.conf ] || mount --bind ${ROOM}/resolv.conf /etc/resolv.conf
while read -r name value; do
  [ -e "/proc/sys/$name" ] || continue
  file="${ROOM}/settings/\${name//\\//.}"
  echo "$value" > "$file"
  mount --bind "$file" "/proc/sys/$name"
done <<END
${Object.entries(MACHINE_SETTINGS)
  .map(([name, value]) => `${name} ${value}`)
  .join('\n')}
END

# The nodes are joined by a bridge in a network namespace of its own: no node's packet filter sees what others say to each other.
hostname node-1
unshare --net bash -ec 'ip link add ${NODE_BRIDGE} type bridge; ip link set ${NODE_BRIDGE} up; echo $$ > ${SWITCH_FILE}; exec sleep infinity' &
until [ -s ${SWITCH_FILE} ]; do sleep 0.01; done
ip link set lo up
ip link add node0 type veth peer name node-1 netns "$(cat ${SWITCH_FILE})"
nsenter --target "$(cat ${SWITCH_FILE})" --net ip link set node-1 master ${NODE_BRIDGE} up
ip address add ${NODE_ADDRESS}/24 dev node0
ip link set node0 up
ip route add default via 10.10.0.1 dev node0
${FORWARDING}
"$@" &
child=$!
trap 'again=yes; kill -TERM $child' TERM INT
while true; do
  again=no
  wait $child && code=0 || code=$?
  [ $again = yes ] || break
done
{ readlink /proc/[0-9]*/ns/net; grep -o 'net:\\[[0-9]*\\]' /proc/self/mountinfo; } 2> /dev/null | sort -u >> "$folder/namespaces" || true
cut -d ' ' -f 1 /proc/uptime > "$folder/ended"
exit $code
`;
