using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "data", disk = (path = "do-data", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "VALUES", durableObjectNamespace = "Value")],
  durableObjectNamespaces = [(className = "Value", uniqueKey = "bench-values", enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
);
