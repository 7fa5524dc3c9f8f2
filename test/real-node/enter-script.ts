/** The node's address on its own bridge; the API server and CoreDNS listen there too. */
export const NODE_ADDRESS = '10.10.0.2';

/** Where the rig's folder is inside the namespaces. */
export const ROOM = '/run/node';

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

# The control groups and interfaces of these namespaces.
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

# Folders of the node's own in place of the machine's.
mkdir -p "$folder"/{var,var-work,kubelet,log,settings}
mount -t tmpfs -o mode=755 tmpfs /run
mkdir ${ROOM} /run/lock
mount --bind "$folder" ${ROOM}
mount -t overlay -o "lowerdir=/var,upperdir=$folder/var,workdir=$folder/var-work" overlay /var
mkdir -p /var/lib/kubelet /var/log
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

# A bridge has a carrier only with an interface that is up.
hostname node-1
ip link set lo up
ip link add node0 type bridge
ip link add node0-port type veth peer name node0-other
ip link set node0-port master node0
ip link set node0-port up
ip link set node0-other up
ip address add ${NODE_ADDRESS}/24 dev node0
ip link set node0 up
ip route add default via 10.10.0.1 dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward
[ ! -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables

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
