export { endpointsController } from './endpoints-controller.ts';
