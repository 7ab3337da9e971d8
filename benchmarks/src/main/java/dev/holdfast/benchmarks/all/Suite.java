package dev.holdfast.benchmarks.all;

import java.util.List;

/**
 * Topics that run one after the other, and whose figures are one result.
 *
 * @param verb its verb of {@code ./holdfast bench}
 * @param kind the end of the name of a result's directory
 * @param title the heading of a result's page
 * @param topics the topics, in their order
 * @param rounds the rounds of a topic
 * @param roundsAgain the rounds of a topic that has missed a target and runs again; 0 if none does
 * @param options JVM options of the topics of a run that is not quick
 * @param about what a result's page says after its tables; empty for nothing
 */
public record Suite(
    String verb,
    String kind,
    String title,
    List<String> topics,
    int rounds,
    int roundsAgain,
    List<String> options,
    String about) {

  /**
   * New objects first and openings last: a file system that has just deleted many files makes new
   * ones slowly.
   */
  public static final Suite ALL =
      new Suite(
          "all",
          "judged",
          "# The figures that have targets",
          List.of(
              "new-objects",
              "open-memory",
              "start",
              "cold-objects",
              "commits",
              "tail",
              "due-alarms-sqlite",
              "openings"),
          3,
          5,
          List.of(
              "-Dholdfast.bench.openings.objects=100000",
              "-Dholdfast.bench.openings.history=10240"),
          """
          ## What was measured

          New objects: each gets one key and value; `with a migration` means a namespace whose version 1 makes a table,
          and the row that is written is one of it. Openings: 100,000 objects and 10 GB of history; with `--quick`
          5,000 objects and 256 MB. All files are in the page cache as far as the memory goes.

          The samples are in the JSON files of the topics: `rounds` and `observed`.
          """);

  /** What has separate processes comes last: it leaves the file system busy. */
  public static final Suite CLUSTER =
      new Suite(
          "cluster",
          "cluster",
          "# A cluster beside one machine and its peers",
          List.of(
              "cluster-commits",
              "cluster-ratis",
              "cluster-servers",
              "cluster-reads",
              "cluster-idle",
              "cluster-dead",
              "cluster-moves"),
          5,
          0,
          List.of(),
          """
          ## What was measured

          Everything shares the processors of one machine: three copies, the callers and the peers. So the figures
          are ratios of rounds that ran next to each other, not rates of three machines.

          Rows of commits, of peers and of reads: the nodes are in the JVM of the callers and speak over
          loopback without TLS, as etcd and PostgreSQL do here. A failover of 3 s. Objects are in SQLite; a
          commit is an upsert of one row, of 100 bytes beside the local journal and of 1 KiB beside peers.
          Each side runs for 15 s before it is measured, so that the compiler has done with most of it.
          `One shard` means that callers are on the node that owns it, as callers of etcd are connected to its
          leader and callers of PostgreSQL to its primary; with `six shards, all nodes`
          each object is called from the next node, so two of three calls go over a socket.

          | Side | What it is |
          |---|---|
          | local journal | `Holdfast.open`, no cluster |
          | bare Ratis | Three servers of Apache Ratis in this JVM, one group, the settings of `log-ratis`, one entry a record, submitted to the leader's division itself |
          | etcd | Three members of Debian's `etcd-server`, 64 connections to the leader. Debian has no `benchmark` tool of etcd, so the client is gRPC's for Java (the one inside Ratis, with hand-written messages). It runs in this JVM and costs more than a client in Go |
          | PostgreSQL with a standby | Debian's PostgreSQL 15 with its defaults, one synchronous standby on the same disk, 64 connections of its JDBC driver, an insert with each commit |

          Rows of idle nodes, of a dead member, of moves and kills: three processes with TLS on both ports, six
          shards, a failover of 2 s, `-Xmx512m -XX:+UseSerialGC`. Loads run inside a node. Idle: 64 shards, 60 s
          after eleven minutes at rest, and after three, while code is compiled. Dead member: SIGKILL for a node that owns none of the objects. Moves: 64 callers on the third node
          write to the shard that moves; the gap is the longest time between two acknowledged writes of one
          caller, the figure without a move the same without one. Kills: 31 MiB are written to a shard, then its
          owner gets SIGKILL while a caller on another node writes; the gap is the time between its last
          acknowledged write before and its first one after.

          The samples are in the JSON files of the topics: `rounds` and `observed`.
          """);
}
