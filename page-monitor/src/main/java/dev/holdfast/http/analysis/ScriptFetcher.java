package dev.holdfast.http.analysis;

import dev.holdfast.http.url.WebUrl;
import java.io.IOException;

/** Gets the content of a script that a page has loaded. Thread-safe; may block. */
@FunctionalInterface
public interface ScriptFetcher {

  /**
   * Gets a script.
   *
   * @param url its URL, as a browser reported it: the sender of the report chooses it
   * @return its content
   * @throws IOException if it cannot or must not be fetched
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  byte[] fetch(WebUrl url) throws IOException, InterruptedException;
}
