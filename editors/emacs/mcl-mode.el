;;; mcl-mode.el --- Major mode for mcl, the language of mgmt  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Keywords: languages
;; Package-Requires: ((emacs "26.1"))
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Colours, indentation as `mclc fmt' writes it, and a list of definitions.
;; `mclc lsp' does the rest, with eglot:
;;
;;     (require 'mcl-mode)
;;     (add-hook 'mcl-mode-hook #'eglot-ensure)

;;; Code:

(defgroup mcl nil
  "The configuration language of mgmt."
  :group 'languages)

(defcustom mcl-command "mclc"
  "The compiler of mcl."
  :type 'string)

(defvar mcl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?$ "'" table)
    (dolist (operator '(?+ ?- ?* ?/ ?= ?< ?> ?| ??))
      (modify-syntax-entry operator "." table))
    table)
  "Syntax table of `mcl-mode'.")

(defconst mcl--name "[a-z][a-z0-9_]*"
  "A regular expression for a name.")

(defconst mcl--font-lock
  `((,(concat "\\_<\\(class\\)[ \t]+\\(" mcl--name "\\(?::" mcl--name "\\)*\\)")
     (1 font-lock-keyword-face) (2 font-lock-type-face))
    (,(concat "\\_<\\(include\\)[ \t]+\\(" mcl--name "\\(?:\\." mcl--name "\\)*\\)")
     (1 font-lock-keyword-face) (2 font-lock-type-face))
    (,(concat "\\_<\\(func\\)[ \t]+\\(" mcl--name "\\)")
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    (,(concat "\\$[ \t]*" mcl--name "\\(?:\\." mcl--name "\\)*") . font-lock-variable-name-face)
    (,(regexp-opt '("if" "else" "for" "forkv" "in" "and" "or" "not" "func" "class" "include" "import" "as"
                    "panic" "collect")
                  'symbols)
     . font-lock-keyword-face)
    (,(regexp-opt '("true" "false") 'symbols) . font-lock-constant-face)
    (,(regexp-opt '("bool" "str" "int" "float" "variant") 'symbols) . font-lock-type-face)
    ("\\_<\\(map\\|struct\\)[ \t]*{" 1 font-lock-type-face)
    (,(concat "\\_<\\(" mcl--name "\\(?:\\." mcl--name "\\)*\\)[ \t]*(") 1 font-lock-function-name-face)
    ("\\_<\\([A-Z][a-z0-9_]*\\(?::[A-Z][a-z0-9_]*\\)*\\)[ \t]*\\[" 1 font-lock-type-face)
    ("\\_<\\([A-Z][a-z0-9_]*\\(?::[a-z][a-z0-9_]*\\)?\\)[ \t]*=>" 1 font-lock-preprocessor-face)
    (,(concat "\\_<\\(" mcl--name "\\(?::" mcl--name "\\)*\\)[ \t]+\\(?:[\"$]\\|\\[[^]]\\)")
     1 font-lock-type-face)
    (,(concat "\\${" mcl--name "\\(?:\\." mcl--name "\\)*}") 0 font-lock-variable-name-face t))
  "What `mcl-mode' colours.")

(defun mcl--closers ()
  "Skip the closing brackets at point and return how many there were."
  (let ((count 0))
    (while (looking-at "[])}]")
      (setq count (1+ count))
      (forward-char)
      (skip-chars-forward " \t"))
    count))

(defun mcl--depth (limit)
  "Return the column that the brackets open at point give, without the inner LIMIT.
Brackets that one line opens are one level."
  (let ((openers (nthcdr limit (reverse (nth 9 (syntax-ppss)))))
        (lines nil))
    (dolist (opener openers)
      (let ((line (line-number-at-pos opener)))
        (unless (memq line lines)
          (push line lines))))
    (* (length lines) tab-width)))

(defun mcl-indent-line ()
  "Indent this line as `mclc fmt' does."
  (interactive)
  (let* ((start (save-excursion (back-to-indentation) (point)))
         (after (- (point) start)))
    (unless (nth 3 (save-excursion (syntax-ppss (line-beginning-position))))
      (let ((column (save-excursion
                      (beginning-of-line)
                      (let ((closers (save-excursion (back-to-indentation) (mcl--closers))))
                        (mcl--depth closers)))))
        (save-excursion
          (goto-char start)
          (indent-line-to column))))
    (if (>= after 0)
        (goto-char (+ (save-excursion (back-to-indentation) (point)) after))
      (back-to-indentation))))

(defconst mcl--imenu
  `(("Class" ,(concat "^[ \t]*class[ \t]+\\(" mcl--name "\\(?::" mcl--name "\\)*\\)") 1)
    ("Function" ,(concat "^[ \t]*func[ \t]+\\(" mcl--name "\\)") 1)
    ("Variable" ,(concat "^\\$[ \t]*\\(" mcl--name "\\)[^=\n]*=") 1)
    ("Resource" ,(concat "^[ \t]*\\(" mcl--name "\\(?::" mcl--name "\\)*[ \t]+\"[^\"\n]*\"\\)[ \t]*{") 1))
  "Definitions that `imenu' lists.")

;;;###autoload
(define-derived-mode mcl-mode prog-mode "mcl"
  "Major mode for mcl."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+[ \t]*")
  (setq-local indent-tabs-mode t)
  (setq-local tab-width 8)
  (setq-local indent-line-function #'mcl-indent-line)
  (setq-local electric-indent-chars (append "{}[]()" electric-indent-chars))
  (setq-local font-lock-defaults '(mcl--font-lock))
  (setq-local imenu-generic-expression mcl--imenu))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.mcl\\'" . mcl-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons 'mcl-mode (lambda (&rest _) (list mcl-command "lsp"))))
  ;; Appended: another server may be configured for Puppet.
  (add-to-list 'eglot-server-programs
               (cons 'puppet-mode (lambda (&rest _) (list mcl-command "lsp")))
               t))

(provide 'mcl-mode)
;;; mcl-mode.el ends here
