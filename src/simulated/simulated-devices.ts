import { type DeviceClass as Class, DeviceClass, keyOf, Node, type Observed, ResourceSlice } from '../client/index.ts';
import type { Device } from '../api/types/resource/v1.d.ts';
import { controller, type Controller, watch } from '../kit/index.ts';

/** The API's limit of devices in a slice. */
export const MAX_SIMULATED_DEVICES = 128;

/** The number of devices per node, by driver name. */
export type SimulatedDevices = Readonly<Record<string, number>>;

/**
 * Acts as the drivers of devices: publishes a slice for each driver and node, and a class for each driver. Existing objects
 * are not changed, so that users can put taints on devices.
 */
export function simulatedDevices(devices: SimulatedDevices): Controller {
  const drivers = Object.entries(devices);
  for (const [driver, count] of drivers)
    if (!(Number.isInteger(count) && count >= 1 && count <= MAX_SIMULATED_DEVICES))
      throw new Error(`Cannot simulate ${count} devices of "${driver}": need from 1 to ${MAX_SIMULATED_DEVICES}`);
  return controller(Node, {
    name: 'simulated-devices',
    reads: [DeviceClass],
    when: (_, old) => old === undefined,
    watches: [watch(ResourceSlice, { to: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) })],
    async reconcile(node, { objects }) {
      const slices = objects(ResourceSlice);
      const classes = objects(DeviceClass);
      for (const [driver, count] of drivers) {
        if (classes.get(driver) === undefined) await classes.create(classOf(driver));
        const slice = sliceOf(node, driver, count);
        if (slices.get(keyOf(slice as Observed<ResourceSlice>)) === undefined) await slices.create(slice);
      }
    },
  });
}

function classOf(driver: string): Class {
  const expression = `device.driver == ${JSON.stringify(driver)}`;
  return { metadata: { name: driver }, spec: { selectors: [{ cel: { expression } }] } };
}

function sliceOf({ metadata: { name, uid } }: Observed<Node>, driver: string, count: number): ResourceSlice {
  const [prefix = 'device'] = driver.split('.');
  return {
    metadata: {
      name: `${name}-${driver}`,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid, controller: true }],
    },
    spec: {
      driver,
      nodeName: name,
      pool: { name, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: count }, (_, at): Device => deviceOf(`${prefix}-${at}`, at)),
    },
  };
}

function deviceOf(name: string, index: number): Device {
  return {
    name,
    attributes: { index: { int: index }, model: { string: 'simulated' } },
    capacity: { memory: { value: '16Gi' } },
  };
}
