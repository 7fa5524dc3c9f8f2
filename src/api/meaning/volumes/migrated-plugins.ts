/** The plugins that Kubernetes once had itself, and the drivers that have taken over from them. */
const DRIVERS: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
};

/** The driver that does what a plugin did; undefined for one that nobody has taken over from. */
export function driverOf(plugin: string): string | undefined {
  return Object.hasOwn(DRIVERS, plugin) ? DRIVERS[plugin] : undefined;
}

/** Whether a name belongs to Kubernetes itself, and so to none who would provide it from outside. */
export function isOwnPlugin(name: string): boolean {
  return name.startsWith('kubernetes.io/');
}
