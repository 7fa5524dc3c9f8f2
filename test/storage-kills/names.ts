export const DRIVER_NAME = 'kills.csi.example.com';
