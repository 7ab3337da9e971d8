package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreTurn;
import org.junit.jupiter.api.Test;

/** Rules for savepoints: what a rollback undoes, and what it keeps. */
abstract class SavepointContract extends TurnContract {

  private final ObjectKey key = object(1);

  @Test
  void rollbackTakesBackWhatWasWrittenSinceTheSavepoint() {
    commit(key, pairs -> pairs.put("a", "1").put("b", "2"));

    StoreTurn turn = begin(key);
    turn.put(bytes("c"), bytes("3"));
    turn.openSavepoint();
    turn.put(bytes("a"), bytes("9"));
    assertThat(turn.delete(bytes("b"))).isTrue();
    turn.put(bytes("c"), bytes("9"));
    turn.put(bytes("d"), bytes("9"));
    turn.rollbackToSavepoint();

    assertThat(scan(turn, ALL)).containsExactly("a=1", "b=2", "c=3");
    assertThat(turn.get(bytes("d"))).isNull();
    turn.seal();
    assertThat(scan(key, ALL)).containsExactly("a=1", "b=2", "c=3");
  }

  @Test
  void releasedSavepointKeepsWhatWasWritten() {
    turn(
        key,
        turn -> {
          turn.put(bytes("a"), bytes("1"));
          turn.openSavepoint();
          turn.put(bytes("a"), bytes("2"));
          turn.put(bytes("b"), bytes("2"));
          turn.releaseSavepoint();
        });

    assertThat(scan(key, ALL)).containsExactly("a=2", "b=2");
  }

  @Test
  void outerRollbackTakesBackAReleasedInnerSavepoint() {
    commit(key, pairs -> pairs.put("a", "1"));

    StoreTurn turn = begin(key);
    turn.openSavepoint();
    turn.put(bytes("a"), bytes("2"));
    turn.openSavepoint();
    turn.put(bytes("a"), bytes("3"));
    turn.put(bytes("b"), bytes("3"));
    turn.releaseSavepoint();
    assertThat(scan(turn, ALL)).containsExactly("a=3", "b=3");
    turn.rollbackToSavepoint();

    assertThat(scan(turn, ALL)).containsExactly("a=1");
    assertThat(turn.seal()).isEqualTo(Journal.START);
  }

  @Test
  void innerRollbackLeavesTheOuterSavepoint() {
    turn(
        key,
        turn -> {
          turn.openSavepoint();
          turn.put(bytes("a"), bytes("1"));
          turn.openSavepoint();
          turn.put(bytes("a"), bytes("2"));
          turn.put(bytes("b"), bytes("2"));
          turn.rollbackToSavepoint();
          turn.put(bytes("c"), bytes("3"));
          turn.releaseSavepoint();
        });

    assertThat(scan(key, ALL)).containsExactly("a=1", "c=3");
  }

  @Test
  void rollbackTakesBackDeleteAll() {
    commit(key, pairs -> pairs.put("a", "1").put("b", "2"));

    StoreTurn turn = begin(key);
    turn.put(bytes("b"), bytes("3"));
    turn.openSavepoint();
    turn.put(bytes("c"), bytes("4"));
    turn.deleteAll();
    turn.put(bytes("d"), bytes("5"));
    assertThat(scan(turn, ALL)).containsExactly("d=5");
    turn.rollbackToSavepoint();
    assertThat(scan(turn, ALL)).containsExactly("a=1", "b=3");
    turn.seal();

    assertThat(scan(key, ALL)).containsExactly("a=1", "b=3");
  }

  @Test
  void outerRollbackTakesBackAnInnerDeleteAll() {
    commit(key, pairs -> pairs.put("a", "1"));

    StoreTurn turn = begin(key);
    turn.openSavepoint();
    turn.put(bytes("b"), bytes("2"));
    turn.openSavepoint();
    turn.put(bytes("c"), bytes("3"));
    turn.deleteAll();
    turn.releaseSavepoint();
    turn.put(bytes("d"), bytes("4"));
    assertThat(scan(turn, ALL)).containsExactly("d=4");
    turn.rollbackToSavepoint();

    assertThat(scan(turn, ALL)).containsExactly("a=1");
    assertThat(turn.seal()).isEqualTo(Journal.START);
  }

  @Test
  void rollbackOfTheFirstWriteOfAnObjectLeavesAUsableObject() {
    turn(
        key,
        turn -> {
          turn.openSavepoint();
          turn.put(bytes("a"), bytes("1"));
          turn.rollbackToSavepoint();
          assertThat(turn.get(bytes("a"))).isNull();
          turn.put(bytes("b"), bytes("2"));
        });
    turn(key, turn -> turn.put(bytes("c"), bytes("3")));

    assertThat(scan(key, ALL)).containsExactly("b=2", "c=3");
  }

  @Test
  void turnThatIsRolledBackAppendsNothing() {
    commit(key, pairs -> pairs.put("a", "1"));
    long last = journal().lastPosition();

    StoreTurn turn = begin(key);
    turn.openSavepoint();
    turn.put(bytes("a"), bytes("2"));
    turn.rollbackToSavepoint();

    assertThat(turn.seal()).isEqualTo(Journal.START);
    assertThat(journal().lastPosition()).isEqualTo(last);
  }

  @Test
  void sealKeepsWhatAnOpenSavepointHolds() {
    turn(
        key,
        turn -> {
          turn.openSavepoint();
          turn.put(bytes("a"), bytes("1"));
        });

    assertThat(scan(key, ALL)).containsExactly("a=1");
  }

  @Test
  void discardUndoesOpenAndReleasedSavepoints() {
    commit(key, pairs -> pairs.put("a", "1"));

    StoreTurn turn = begin(key);
    turn.openSavepoint();
    turn.put(bytes("a"), bytes("2"));
    turn.releaseSavepoint();
    turn.openSavepoint();
    turn.put(bytes("b"), bytes("3"));
    turn.discard();

    requireContents();
  }

  @Test
  void savepointThatIsNotOpenCannotEnd() {
    StoreTurn turn = begin(key);

    assertThatIllegalStateException().isThrownBy(turn::releaseSavepoint);
    assertThatIllegalStateException().isThrownBy(turn::rollbackToSavepoint);
    turn.discard();
  }
}
