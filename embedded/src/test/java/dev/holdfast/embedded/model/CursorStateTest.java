package dev.holdfast.embedded.model;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.model.CursorSession.Room;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeProperty;
import net.jqwik.api.state.Action;
import net.jqwik.api.state.ActionChain;
import net.jqwik.api.state.Transformer;
import org.jspecify.annotations.Nullable;

/**
 * Cursors of one text as state machines beside a model: read, written under, over waits, commits,
 * transactions, changes of the schema, ends of events, and resets.
 */
class CursorStateTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int STEPS_MAX = LONG ? 1_000 : 40;

  private @Nullable Path directory;
  private @Nullable ObjectRuntime runtime;
  private @Nullable CursorSession session;
  private int sessions;

  @BeforeProperty
  void open() throws IOException {
    Path data = Files.createTempDirectory("holdfast-cursors");
    directory = data;
    runtime =
        Runtimes.open(
            data,
            objects ->
                objects.namespace(
                    "rooms", Room.class, CursorSession.RoomObject::new, NamespaceOptions.DEFAULT));
  }

  @AfterTry
  void endSession() {
    if (session != null) {
      session.close();
    }
  }

  @AfterProperty
  void close() throws IOException {
    Objects.requireNonNull(runtime).close();
    try (Stream<Path> all = Files.walk(Objects.requireNonNull(directory))) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Property(tries = 40)
  void cursorsGiveWhatTheModelSays(@ForAll("chains") ActionChain<CursorSession> chain) {
    chain.run();
  }

  @Provide
  Arbitrary<ActionChain<CursorSession>> chains() {
    return ActionChain.startWith(this::newSession)
        .withMaxTransformations(STEPS_MAX)
        .withAction(4, plain("open", CursorSession::openCursor))
        .withAction(8, onOne("next", CursorSession::next))
        .withAction(2, onOne("hasNext", CursorSession::hasNext))
        .withAction(1, onOne("toList", CursorSession::toList))
        .withAction(1, onOne("one", CursorSession::one))
        .withAction(4, rows("put", CursorSession::put))
        .withAction(2, rows("delete", (state, row) -> state.delete(row)))
        .withAction(2, plain("wait", CursorSession::await))
        .withAction(1, plain("sync", CursorSession::sync))
        .withAction(1, rows("commit", (state, row) -> state.transaction(row, false)))
        .withAction(1, rows("roll back", (state, row) -> state.transaction(row, true)))
        .withAction(1, plain("create a table", CursorSession::createTable))
        .withAction(1, plain("drop the table", CursorSession::dropTable))
        .withAction(1, plain("delete all", CursorSession::deleteAll))
        .withAction(1, plain("end the event", CursorSession::endEvent))
        .withAction(1, plain("reset", CursorSession::reset));
  }

  private CursorSession newSession() {
    ObjectRuntime open = Objects.requireNonNull(runtime);
    CursorSession made =
        new CursorSession(open.namespace("rooms", Room.class).getByName("room-" + sessions++));
    session = made;
    return made;
  }

  /** An action without arguments. */
  private static Action.Independent<CursorSession> plain(
      String name, java.util.function.Consumer<CursorSession> action) {
    return () -> Arbitraries.just(Transformer.mutate(name, action));
  }

  /** An action on one of the cursors, its number taken modulo the number of cursors. */
  private static Action.Independent<CursorSession> onOne(
      String name, ObjIntConsumer<CursorSession> action) {
    return () ->
        Arbitraries.integers()
            .between(0, 5)
            .map(
                number ->
                    Transformer.mutate(
                        name + " of " + number, state -> action.accept(state, number)));
  }

  private static Action.Independent<CursorSession> rows(
      String name, ObjIntConsumer<CursorSession> action) {
    return () ->
        Combinators.combine(Arbitraries.integers().between(1, 9), Arbitraries.just(name))
            .as(
                (row, what) ->
                    Transformer.mutate(what + " " + row, state -> action.accept(state, row)));
  }
}
