/** The former in-tree plugins, and the drivers that have replaced them. */
const DRIVERS: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
};

/** The label by which the driver of a plugin knows the zone of a node. */
export const ZONE_KEYS: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'topology.ebs.csi.aws.com/zone',
  'kubernetes.io/azure-disk': 'topology.disk.csi.azure.com/zone',
  'kubernetes.io/cinder': 'topology.cinder.csi.openstack.org/zone',
  'kubernetes.io/gce-pd': 'topology.gke.io/zone',
  'kubernetes.io/vsphere-volume': 'topology.csi.vmware.com/zone',
};

/** The driver that has replaced a plugin; undefined if there is none. */
export function driverOf(plugin: string): string | undefined {
  return Object.hasOwn(DRIVERS, plugin) ? DRIVERS[plugin] : undefined;
}

/** Whether a name is reserved for Kubernetes' own plugins. */
export function isOwnPlugin(name: string): boolean {
  return name.startsWith('kubernetes.io/');
}
