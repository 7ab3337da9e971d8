package dev.holdfast.crash.nodes;

/** Content that changes, and is restored to what it was. */
public interface Document {

  /**
   * Changes the content: some of it is new, some is gone.
   *
   * @param text a part of the new content
   */
  void write(String text);

  /** {@return a bookmark of the state, a blank, and the digest of the content} */
  String mark();

  /** {@return the digest of the content: of every key and every row, with every byte} */
  String digest();
}
