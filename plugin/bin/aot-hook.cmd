@rem The hooks' front on Windows: Node decides about every event of a project that has a loop.
@echo off
if not "%AOT_LOOPS%"=="" exit /b 0
if not exist "%CLAUDE_PROJECT_DIR%\.claude\aot-loop-state.md" exit /b 0
if not exist "%CLAUDE_PROJECT_DIR%\.claude\aot-loop\session" if not "%1"=="SessionStart" exit /b 0
node "%~dp0..\lib\aot.cjs" hook %1 --state-file "%CLAUDE_PROJECT_DIR%\.claude\aot-loop-state.md"
