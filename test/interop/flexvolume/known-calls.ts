const DISK =
  '{"kubernetes.io/fsType":"xfs","kubernetes.io/pvOrVolumeName":"pv-1","kubernetes.io/readwrite":"rw","pool":"a\\u0026b"}';
const DEVICE = '/var/lib/kubelet/plugins/kubernetes.io/flexvolume/example.com/disk/mounts/pv-1';
const INLINE = '/var/lib/kubelet/pods/UID/volumes/example.com~plain/inline';
const BOUND = '/var/lib/kubelet/pods/UID/volumes/example.com~disk/pv-1';
const POD =
  '"kubernetes.io/mounterArgs.FsGroup":"2000","kubernetes.io/pod.name":"web","kubernetes.io/pod.namespace":"default","kubernetes.io/pod.uid":"UID"';

/**
 * The calls of Kubernetes' kubelet 1.36.3 for one pod with both volumes, recorded, with those of our controller manager between; without
 * `init`, `getvolumename` and `isattached`, which are repeated at will.
 */
export const knownCalls: readonly (readonly string[])[] = [
  [
    'mount',
    INLINE,
    `{"kubernetes.io/fsType":"",${POD},"kubernetes.io/pvOrVolumeName":"inline","kubernetes.io/readwrite":"ro","kubernetes.io/secret/word":"aHVzaA==","kubernetes.io/serviceAccount.name":"default","note":"x"}`,
  ],
  ['unmount', INLINE],
  ['attach', DISK, 'NODE'],
  ['waitforattach', '/dev/given', DISK],
  ['mountdevice', DEVICE, '/dev/made', DISK],
  [
    'mount',
    BOUND,
    `{"kubernetes.io/fsType":"xfs",${POD},"kubernetes.io/pvOrVolumeName":"pv-1","kubernetes.io/readwrite":"rw","kubernetes.io/serviceAccount.name":"default","pool":"a\\u0026b"}`,
  ],
  ['expandfs', DISK, '/dev/made', BOUND, '2147483648', '1073741824'],
  ['unmount', BOUND],
  ['unmountdevice', DEVICE],
  ['detach', 'pv-1', 'NODE'],
];
