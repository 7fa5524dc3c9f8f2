export { replicationControllerController } from './replicationcontroller-controller.ts';
