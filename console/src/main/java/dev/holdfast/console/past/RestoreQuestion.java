package dev.holdfast.console.past;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;

/**
 * Asks before an object goes back, and shows what that changes. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param state the state to take
 * @param comparison what differs from the present to it
 */
public record RestoreQuestion(
    PageFrame frame, OneObject.Address address, String state, DifferenceTable comparison) {

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param address which object
   * @param state a bookmark, or a time in UTC
   * @return the page
   */
  public static RestoreQuestion read(
      PageFrame frame, Source source, OneObject.Address address, String state) {
    return new RestoreQuestion(
        frame,
        address,
        state,
        DifferenceTable.read(
            source, address.ask("diff").with("to", state).with("from", "now"), frame.isRedacted()));
  }
}
