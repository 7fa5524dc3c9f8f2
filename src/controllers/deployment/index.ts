export { deploymentController } from './deployment-controller.ts';
