// Nodes whose containers are processes of this machine, where a file maps their images to commands.
export { PROCESS_VARIABLES } from './container-environment.ts';
export { type ImageCommand, ImageCommands, readImageCommands } from './image-commands.ts';
export { processBackend } from './process-backend.ts';
export { ProcessHost, type ProcessHostOptions } from './process-host.ts';
