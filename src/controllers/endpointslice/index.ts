export { endpointSliceController } from './endpoint-slice-controller.ts';
