import { DeviceList, type DevicePlugin, devicePlugin } from 'keelson/devices';

/** FPGA cards of a machine; containers get the device files of theirs. */
export function fpgaPlugin(cards: readonly { readonly name: string; readonly numaNode: number }[]): DevicePlugin {
  const devices = new DeviceList(cards.map(({ name, numaNode }) => ({ id: name, numaNodes: [numaNode] })));
  return devicePlugin({
    resource: 'example.com/fpga',
    devices,
    allocate: (given) => ({
      env: { FPGA_CARDS: given.map(({ id }) => id).join(',') },
      devices: given.map(({ id }) => ({ hostPath: `/dev/${id}` })),
      mounts: [{ hostPath: '/opt/fpga/images', readOnly: true }],
    }),
    // cards that are near to each other exchange data faster
    prefer: (available, { size, mustInclude }) => {
      const nodeOf = mustInclude[0]?.numaNodes?.[0] ?? available[0]?.numaNodes?.[0];
      const isNear = ({ numaNodes }: { numaNodes?: readonly number[] }): boolean => numaNodes?.[0] === nodeOf;
      const others = available.filter(({ id }) => !mustInclude.some((must) => must.id === id));
      return [...mustInclude, ...others.filter(isNear), ...others.filter((each) => !isNear(each))].slice(0, size);
    },
  });
}
