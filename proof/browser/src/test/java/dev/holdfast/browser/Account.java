package dev.holdfast.browser;

/** The calls of the objects that are shown. */
interface Account {
  long add(long cents, String note);

  long balance();
}
