// HAProxy for the tests through it: `npm run test:haproxy` and `npm run test:rest` run this before them. On Debian as root it
// installs the distribution's package.
import { findHaproxy, HAPROXY_REMEDY } from "../test/support/haproxy.ts";
import { bring } from "./debian-package.ts";

bring({ name: "HAProxy", packages: ["haproxy"], remedy: HAPROXY_REMEDY, find: findHaproxy });
