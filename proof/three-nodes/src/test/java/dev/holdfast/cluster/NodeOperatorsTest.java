package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.event.Subscription;
import dev.holdfast.faults.Polling;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.operator.OperatedRuntime;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Operators ask any node for the operations on all objects, and the owners perform them. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NodeOperatorsTest {

  private static final int SHARDS = 3;
  private static final int OBJECTS = 20;
  private static final List<String> NODES = List.of("a", "b", "c");

  /** A text. */
  public interface Leaf {

    /** Replaces the text, and arms an alarm. */
    void write(String text);

    /** Waits in its turn until the test lets it go. */
    void hang();
  }

  private static final CountDownLatch HANGS = new CountDownLatch(1);
  private static final CountDownLatch RELEASE = new CountDownLatch(1);

  record LeafObject(ObjectContext context) implements Leaf, AlarmHandler {

    @Override
    public void alarm(AlarmInfo info) {}

    @Override
    public void write(String text) {
      context.storage().put("text", text);
      context.storage().setAlarm(context.clock().instant().plus(Duration.ofHours(1)));
    }

    @Override
    public void hang() {
      HANGS.countDown();
      try {
        RELEASE.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  private static void register(ObjectRegistrar objects) {
    objects.options(RuntimeOptions.DEFAULT.withOperatorSocket());
    objects.namespace("leaves", Leaf.class, LeafObject::new);
    objects.namespace(
        "stones",
        Leaf.class,
        LeafObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, SHARDS, NodeOperatorsTest::register);
    for (int shard = 0; shard < SHARDS; shard++) {
      nodes.move(shard, NODES.get(shard));
    }
    nodes.awaitReady();
    for (int each = 0; each < OBJECTS; each++) {
      leaf("leaves", name(each)).write("first");
      leaf("stones", name(each)).write("first");
    }
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static String name(int number) {
    return "leaf-%02d".formatted(number);
  }

  private static Leaf leaf(String namespace, String name) {
    return nodes.get("a").namespace(namespace, Leaf.class).getByName(name);
  }

  private static int shardOf(ClusterRuntime node, String name) {
    return new ShardMap(SHARDS).shardOf(node.namespace("leaves", Leaf.class).idFromName(name));
  }

  private static OperatorService at(String node) {
    return ((OperatedRuntime) nodes.get(node)).operations();
  }

  private record Said(List<Map<String, @Nullable Object>> answers, @Nullable String note) {

    Map<String, @Nullable Object> one() {
      assertThat(answers).hasSize(1);
      return answers.getFirst();
    }

    List<Object> all(String member) {
      List<Object> found = new ArrayList<>();
      answers.forEach(each -> found.add(String.valueOf(each.get(member))));
      return found;
    }
  }

  private static Said ask(OperatorService service, OperatorRequest request) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    String note = service.perform(request, answers::add);
    return new Said(answers, note);
  }

  private static Said ask(String node, OperatorRequest request) {
    return ask(at(node), request);
  }

  private static OperatorRequest of(String verb, String namespace, String name) {
    return OperatorRequest.of(verb).with("namespace", namespace).with("object", name);
  }

  @Test
  void eachNodePerformsWhatIsAskedOfAnyObject() throws Exception {
    OperatorService socket = OperatorConnection.find(nodes.directoryOf("b")).orElseThrow();
    for (int each = 0; each < 6; each++) {
      String name = name(each);
      for (String namespace : List.of("leaves", "stones")) {
        assertThat(ask(socket, of("object", namespace, name)).one())
            .containsEntry("name", name)
            .containsEntry("storage", namespace.equals("leaves") ? "sqlite" : "rocksdb");
        for (String node : NODES) {
          assertThat(ask(node, of("size", namespace, name)).one()).containsKey("bytes");
          assertThat(ask(node, of("get", namespace, name).with("key", "text")).one())
              .containsKey("value");
          assertThat(ask(node, of("list", namespace, name)).all("key")).containsExactly("text");
          assertThat(ask(node, of("history", namespace, name)).answers()).isNotEmpty();
        }
      }
      assertThat(ask("c", of("sql", "leaves", name).with("sql", "SELECT 1 AS one")).answers())
          .hasSize(2);
      changeAndTakeBack(name);
    }
    assertThatThrownBy(() -> ask("a", of("get", "leaves", name(0)).with("key", "none")))
        .isInstanceOfSatisfying(
            OperatorException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FAILED))
        .hasMessageContaining("has no key \"none\"");
    assertThatThrownBy(() -> ask("a", of("nonsense", "leaves", name(1))))
        .isInstanceOfSatisfying(
            OperatorException.class, e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_REQUEST));
  }

  /** Asked at nodes in turn, of which at most one owns the object. */
  private void changeAndTakeBack(String name) throws Exception {
    String first =
        String.valueOf(
            ask("a", of("history", "leaves", name)).answers().getFirst().get("bookmark"));
    leaf("leaves", name).write("second");
    assertThat(
            ask("b", of("diff", "leaves", name).with("from", first).with("to", now(name)))
                .answers())
        .isNotEmpty();
    Object undo = ask("c", of("restore", "leaves", name).with("bookmark", first)).one().get("undo");
    assertThat(undo).isInstanceOf(String.class);
    assertThat(ask("a", of("evict", "leaves", name)).one()).containsKey("evicted");
    assertThat(ask("b", of("reset", "leaves", name)).one()).containsKey("reset");
    assertThat(ask("c", of("withdraw", "leaves", name)).one()).containsEntry("withdrawn", false);
    Path file = directory.resolve(name + ".sqlite");
    Said exported = ask("a", of("export", "leaves", name).with("file", file.toString()));
    assertThat(exported.note()).contains("on the machine of node ");
    assertThat(Files.size(file)).isPositive();
    assertThat(ask("b", of("import", "leaves", name + "x").with("file", file.toString())).one())
        .containsEntry("name", name + "x");
    assertThat(ask("c", of("delete", "leaves", name + "x")).one()).containsEntry("deleted", true);
    assertThatThrownBy(() -> ask("a", of("alarm-rearm", "leaves", name)))
        .hasMessageContaining("no alarm");
  }

  private static String now(String name) {
    return String.valueOf(
        ask("a", of("history", "leaves", name)).answers().getFirst().get("bookmark"));
  }

  @Test
  void consumerIsMovedInOneShardOrAllAndForgotten() throws Exception {
    List<Subscription> open = new ArrayList<>();
    for (String node : NODES) {
      open.add(nodes.get(node).consume("topic", "index", String.class, _ -> {}));
    }
    while (ask("a", OperatorRequest.of("consumers")).answers().size() < SHARDS) {
      Polling.pause(); // a shard whose owner changes meanwhile gets it when it is opened
    }
    open.forEach(Subscription::close);
    OperatorRequest reset =
        OperatorRequest.of("consumer-reset").with("topic", "topic").with("consumer", "index");

    assertThat(ask("b", reset.with("to", "now")).all("reset")).hasSize(SHARDS).containsOnly("now");
    assertThat(ask("c", reset.with("to", "oldest").with("shard", 1L)).one().get("reset"))
        .isEqualTo("oldest");
    OperatorRequest remove =
        OperatorRequest.of("consumer-remove").with("topic", "topic").with("consumer", "index");
    assertThat(ask("a", remove).all("removed")).hasSize(SHARDS).containsOnly("true");
    assertThat(ask("b", OperatorRequest.of("consumers")).answers()).isEmpty();
  }

  @Test
  void forkStaysInItsShard() {
    ClusterRuntime a = nodes.get("a");
    for (String node : NODES) {
      boolean[] isForked = new boolean[2];
      for (int each = 0; !isForked[0] || !isForked[1]; each++) {
        String fork = node + each;
        OperatorRequest request =
            of("fork", "leaves", name(0)).with("bookmark", now(name(0))).with("name", fork);
        if (shardOf(a, fork) == shardOf(a, name(0))) {
          assertThat(ask(node, request).one()).containsEntry("fork", fork);
          isForked[0] = true;
        } else {
          assertThatThrownBy(() -> ask(node, request)).hasMessageContaining("stays in the shard");
          assertThat(a.admin().exists("leaves", a.namespace("leaves", Leaf.class).idFromName(fork)))
              .isFalse();
          isForked[1] = true;
        }
      }
    }
  }

  @Test
  void listsOfAllShardsAreMergedPageByPage() {
    List<Object> expected = new ArrayList<>();
    for (int each = 0; each < OBJECTS; each++) {
      expected.add(name(each));
    }
    for (String node : NODES) {
      List<Object> found = new ArrayList<>();
      OperatorRequest page =
          OperatorRequest.of("objects").with("namespace", "stones").with("limit", 6L);
      Said said = ask(node, page);
      while (true) {
        found.addAll(said.all("name"));
        if (said.note() == null) {
          break;
        }
        assertThat(said.note()).isEqualTo("There are more objects.");
        assertThat(said.answers()).hasSize(6);
        said = ask(node, page.with("after", String.valueOf(found.getLast())));
      }
      assertThat(found).isEqualTo(expected);
      assertThat(ask(node, OperatorRequest.of("objects")).answers())
          .hasSizeGreaterThanOrEqualTo(2 * OBJECTS);
      assertThat(ask(node, OperatorRequest.of("objects").with("shard", 1L)).all("shard"))
          .containsOnly("1");
      assertThat(ask(node, OperatorRequest.of("alarms").with("namespace", "stones")).answers())
          .hasSize(OBJECTS);
      assertThat(ask(node, OperatorRequest.of("busiest").with("limit", 5L)).answers())
          .hasSizeLessThanOrEqualTo(5); // the runtimes look every few seconds
      assertThat(
              ask(node, OperatorRequest.of("changed").with("since", "2020-01-01T00:00:00Z"))
                  .all("shard"))
          .contains("0", "1", "2");
      assertThat(
              ask(node, OperatorRequest.of("journal").with("from", 1L).with("to", 5L)).all("shard"))
          .contains("0", "1", "2");
      assertThatThrownBy(() -> ask(node, OperatorRequest.of("changed").with("after", "x")))
          .hasMessageContaining("name it with the argument shard");
      assertThatThrownBy(() -> ask(node, OperatorRequest.of("journal").with("shard", 3L)))
          .hasMessageContaining("they are 0 to 2");
      assertThatThrownBy(
              () -> ask(node, OperatorRequest.of("backup").with("to", "x").with("shard", 0L)))
          .hasMessageContaining("leave the argument shard out");
      assertThatThrownBy(() -> ask(node, OperatorRequest.of("archive-purge")))
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("no archive");
      assertThatThrownBy(() -> ask(node, OperatorRequest.of("archive-purge").with("shard", 0L)))
          .hasMessageContaining("leave the argument shard out");
    }
  }

  @Test
  void backupIsAJobOfTheNodeThatIsAsked(@TempDir Path backups) {
    Path target = backups.resolve("made");
    ask("b", OperatorRequest.of("backup").with("to", target.toString()).with("background", true));
    while (!ask("b", OperatorRequest.of("jobs")).all("state").contains("done")) {
      Polling.pause();
    }

    assertThat(target.resolve("node")).exists();
    assertThat(ask("a", OperatorRequest.of("jobs")).answers()).isEmpty();
    assertThatThrownBy(
            () ->
                ask(
                    "b",
                    OperatorRequest.of("backup")
                        .with("to", target.toString())
                        .with("background", true)))
        .hasMessageContaining("is not empty");
  }

  @Test
  void numbersAreThoseOfAllShardsAndHealthIsThatOfTheNode() {
    for (String node : NODES) {
      Map<String, @Nullable Object> all = ask(node, OperatorRequest.of("stats")).one();
      assertThat(String.valueOf(all.get("namespaces")))
          .contains("leaves={live=", "stones={live=" + OBJECTS);
      assertThat(ask(node, OperatorRequest.of("stats").with("shard", 2L)).one())
          .containsEntry("shard", 2);
      assertThat(ask(node, OperatorRequest.of("health")).one()).containsEntry("state", "UP");
      Said members = ask(node, OperatorRequest.of("cluster-nodes"));
      assertThat(members.all("node")).containsExactly("a", "b", "c");
      assertThat(members.all("health")).containsOnly("UP");
      assertThat(String.valueOf(members.answers().getFirst().get("shards")))
          .contains("moving=false");
    }
  }

  @Test
  @Order(Integer.MAX_VALUE) // two nodes are closed
  void nodeThatIsGoneIsASentenceAndKeepsNobodyWaiting() {
    OperatorRequest objects =
        OperatorRequest.of("objects").with("namespace", "stones").with("within", 1_000L);
    nodes.closeNode("b");
    Said whole = null;
    while (whole == null || whole.note() != null) { // another node takes its shard
      try {
        whole = ask("c", objects);
      } catch (OperatorException e) {
        Polling.pause();
      }
    }
    assertThat(whole.answers()).hasSize(OBJECTS);
    // Without a majority the shards of the other one get no owner.
    nodes.closeNode("c");
    while (true) {
      try {
        Said said = ask("a", objects);
        if (said.note() != null) {
          assertThat(said.note()).containsAnyOf("no owner", "No answer", "call");
          break;
        }
      } catch (OperatorException e) {
        assertThat(e.getMessage()).containsAnyOf("no owner", "No answer", "lost", "call");
        break;
      }
      Polling.pause();
    }
    Said members = ask("a", OperatorRequest.of("cluster-nodes"));
    assertThat(members.all("node")).containsExactly("a", "b", "c");
    assertThat(members.answers().get(1)).containsKey("failure");
    assertThatThrownBy(() -> ask("a", OperatorRequest.of("cluster-remove").with("node", "c")))
        .isInstanceOf(OperatorException.class)
        .hasMessageNotContaining("[object");
  }

  /** What is asked while its shard is moved is done once, or said to be unknown, or not begun. */
  @Test
  void changeIsMadeOnceAtMostWhileItsShardIsMoved() throws Exception {
    ClusterRuntime c = nodes.get("c");
    int shard = shardOf(c, name(0));
    String bookmark = now(name(0));
    AtomicBoolean isMoved = new AtomicBoolean();
    CompletableFuture<Void> moves =
        CompletableFuture.runAsync(
            () -> {
              for (int move = 0; move < 4; move++) {
                nodes.move(shard, NODES.get(move % 2));
              }
              isMoved.set(true);
            });
    int done = 0;
    for (int each = 0; !isMoved.get(); each++) {
      String fork = "moved-" + each;
      if (shardOf(c, fork) == shard) {
        try {
          ask("c", of("fork", "leaves", name(0)).with("bookmark", bookmark).with("name", fork));
          assertThat(c.admin().exists("leaves", c.namespace("leaves", Leaf.class).idFromName(fork)))
              .isTrue();
          done++;
        } catch (OperatorException | ObjectUnavailableException e) {
          // A second execution would find the object that the first one has made.
          assertThat(e.getMessage()).doesNotContain("already").doesNotContain("has data");
        }
      }
    }
    moves.join();
    assertThat(done).isPositive();
    assertThatThrownBy(
            () ->
                ask(
                    "c",
                    of("fork", "leaves", name(0)).with("bookmark", bookmark).with("name", name(0))))
        .hasMessageContaining("already");
    nodes.move(shard, NODES.get(shard));
  }

  @Test
  void stuckObjectHoldsUpNothingElse() throws Exception {
    CompletableFuture<Void> hung = CompletableFuture.runAsync(() -> leaf("leaves", name(3)).hang());
    HANGS.await();
    for (String node : NODES) {
      OperatorRequest request = OperatorRequest.of("executions").with("stack", true);
      assertThat(ask(node, request).all("name")).contains(name(3));
      assertThat(ask(node, OperatorRequest.of("objects").with("within", 5_000L)).note()).isNull();
    }
    RELEASE.countDown();
    hung.join();
  }
}
