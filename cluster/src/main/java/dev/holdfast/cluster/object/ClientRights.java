package dev.holdfast.cluster.object;

import java.util.Map;
import java.util.Set;

/**
 * What a client may call: objects, what the public API asks shards for, and which members there
 * are. What changes or reads the cluster itself is for members. Stateless.
 */
final class ClientRights {

  /** By target, the names of methods. What is not here is refused, as what is added later. */
  private static final Map<String, Set<String>> METHODS =
      Map.of(
          NodeReports.TARGET,
          Set.of("members"),
          ShardOperations.TARGET,
          Set.of(
              // ObjectNamespace and NamespaceAlarms
              "list",
              "pending",
              "abandoned",
              "rearm",
              "discard",
              // ClusterClient.awaitReady
              "memberNames",
              // ObjectAdmin
              "exists",
              "size",
              "keys",
              "tables",
              "versions",
              "migrateSome",
              "evict",
              "reset",
              "restoreNow",
              "delete",
              "purgeHistory",
              "isPurging",
              "purgeArchive",
              "consumers",
              "resetConsumer",
              "removeConsumer",
              // ObjectRecovery
              "bookmarkForTime",
              "history",
              "restorations",
              "restoreOnNextSession",
              "withdrawRestore",
              "diff",
              "fork",
              "exportFile",
              "readFile",
              "beginFile",
              "writeFile",
              "importFile",
              "endFile"));

  private ClientRights() {}

  /**
   * {@return whether a client may make a call}
   *
   * @param target a namespace, or what is in its place
   * @param method the text of the method
   */
  static boolean include(String target, String method) {
    int end = method.indexOf('(');
    return !target.startsWith("$")
        || METHODS
            .getOrDefault(target, Set.of())
            .contains(method.substring(0, end < 0 ? method.length() : end));
  }
}
