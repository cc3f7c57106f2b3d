// The page of its own.
import { fail, start } from "./page.js";

start().catch(fail);
