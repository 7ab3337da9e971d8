package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StoreTurn;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules for the directory: which objects are listed, in which order, and from when on. */
abstract class DirectoryContract extends CatalogFixture {

  @Test
  void objectIsListedFromItsFirstDurableBatchOn() {
    ObjectKey key = named(1, "first");
    put(key, "a");
    if (journal().durablePosition() < journal().lastPosition()) {
      assertThat(names(null)).isEmpty();
    }

    journal().makeAllDurable();

    assertThat(names(null)).containsExactly("first");
  }

  @Test
  void turnThatOnlyReadsBringsNoObjectIntoBeing() {
    StoreTurn turn = begin(named(1, "read"));
    turn.get(bytes("a"));
    turn.delete(bytes("a"));
    turn.alarms();

    assertThat(turn.seal()).isEqualTo(Journal.START);
    turn(named(1, "read"), StoreTurn::deleteAll);

    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();
  }

  @Test
  void namesAreListedInUtf8OrderAndIdsWithoutAfterThem() {
    // In UTF-16 the second comes before the first.
    List<String> ordered = List.of("", "a", "a\0", "ab", "b", "\uFFFF", "\uD83D\uDE00");
    for (int number = ordered.size() - 1; number >= 0; number--) {
      put(named(number, ordered.get(number)), "a");
    }
    put(object(20), "a");
    put(object(21), "a");
    journal().makeAllDurable();

    List<ObjectId> all = objects(null, null, 100);

    assertThat(all.stream().flatMap(id -> id.name().stream())).containsExactlyElementsOf(ordered);
    assertThat(all.subList(7, 9)).containsExactlyInAnyOrder(object(20).id(), object(21).id());
    assertThat(names("a")).containsExactly("a", "a\0", "ab");
    assertThat(names("")).containsExactlyElementsOf(ordered);
    assertThat(names("c")).isEmpty();
    assertThat(pages(3)).isEqualTo(all);
    assertThat(pages(1)).isEqualTo(all);
  }

  @Test
  void objectsOfOneNameAreAllListedInTheOrderOfTheirIds() {
    List<ObjectKey> shared =
        Stream.of(named(1, "shared"), named(2, "shared"), named(3, "shared"))
            .sorted(Comparator.comparing(key -> key.id().toString()))
            .toList();
    put(named(4, "share"), "a");
    put(shared.getLast(), "a");
    journal().makeAllDurable();
    assertThat(names(null)).containsExactly("share", "shared");

    put(shared.getFirst(), "a");
    put(shared.get(1), "a");
    put(named(5, "shared\0"), "a");
    put(object(6), "a");
    journal().makeAllDurable();

    List<ObjectId> all = objects(null, null, 100);
    assertThat(all).hasSize(6);
    assertThat(all.subList(1, 4)).isEqualTo(shared.stream().map(ObjectKey::id).toList());
    assertThat(all.subList(1, 4)).allMatch(id -> id.name().equals(Optional.of("shared")));
    assertThat(pages(1)).isEqualTo(all);
    assertThat(pages(2)).isEqualTo(all);
    assertThat(names("shared")).containsExactly("shared", "shared", "shared", "shared\0");

    turn(shared.getFirst(), StoreTurn::deleteAll);
    closeAndReopen();
    assertThat(objects("shared", null, 2))
        .containsExactly(shared.get(1).id(), shared.getLast().id());
    turn(shared.get(1), StoreTurn::deleteAll);
    turn(shared.getLast(), StoreTurn::deleteAll);
    journal().makeAllDurable();
    assertThat(names("shared")).containsExactly("shared\0");
  }

  @Test
  void objectWithTheNameOfAnotherIsTakenOnce() {
    put(named(1, "shared"), "a");
    put(named(2, "other"), "a");
    put(new ObjectKey("other", ObjectId.of(object(3).id().toBytes(), "shared")), "a");
    assertThat(shared()).isEmpty();

    put(named(4, "shared"), "a");
    assertThat(shared()).containsExactly(named(4, "shared"));
    put(named(4, "shared"), "b");
    put(named(1, "shared"), "b");
    release(named(4, "shared"));
    put(named(4, "shared"), "c");
    assertThat(shared()).isEmpty();

    put(named(5, "shared"), "a");
    assertThat(shared()).hasSize(1).allMatch(key -> key.id().name().equals(Optional.of("shared")));
  }

  /** {@return what the catalog gives once all changes are in it} */
  private List<ObjectKey> shared() {
    journal().makeAllDurable();
    assertThat(names(null)).isNotEmpty();
    return backend().catalog().takeSharedNames();
  }

  @Test
  void namespacesAreListedApart() {
    put(named(1, "here"), "a");
    put(new ObjectKey("other", ObjectId.of(object(2).id().toBytes(), "there")), "a");
    journal().makeAllDurable();

    assertThat(names(null)).containsExactly("here");
    assertThat(backend().catalog().objects(new ObjectQuery("none", null, null, 9))).isEmpty();
  }

  @Test
  void nameThatIsLearntLaterIsKept() {
    put(object(1), "a");
    release(object(1));
    put(named(1, "late"), "b");
    release(object(1));
    put(object(1), "c");
    journal().makeAllDurable();

    assertThat(objects(null, null, 9)).hasSize(1);
    assertThat(names(null)).containsExactly("late");
  }

  @Test
  void objectWithoutDataAndAlarmsLeavesTheDirectory() {
    ObjectKey key = named(1, "gone");
    put(key, "a");
    turn(key, StoreTurn::deleteAll);
    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();

    put(key, "a");
    turn(
        key,
        turn -> {
          turn.deleteAll();
          turn.put(bytes("b"), bytes("2"));
        });
    journal().makeAllDurable();
    assertThat(names(null)).containsExactly("gone");
  }

  @Test
  void objectWhoseKeysWereDeletedOneByOneLeavesWithDeleteAll() {
    ObjectKey key = named(1, "emptied");
    put(key, "a");
    turn(key, turn -> turn.delete(bytes("a")));
    journal().makeAllDurable();
    assertThat(names(null)).containsExactly("emptied");

    release(key);
    turn(key, StoreTurn::deleteAll);

    journal().makeAllDurable();
    assertThat(names(null)).isEmpty();
  }
}
